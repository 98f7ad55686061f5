/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <string.h>

#include "cli/command/complete.h"

/* Bash splits words at '=' and ':' too, and replaces only the last part. The loop joins the parts;
 * `prefix` is what bash has kept of the word. */
static const char bash[] =
    "# bash completion for espalier; written by 'espalier completion bash'\n"
    "_espalier() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words=() word='' prefix='' quote='' mode='' glued i "
    "out\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        glued=1\n"
    "        if ((i == 0)) || [[ $line == [[:space:]]* ]]; then glued=0; fi\n"
    "        line=${line#\"${line%%[![:space:]]*}\"}\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i == COMP_CWORD)); then word=$line; fi\n"
    "        line=${line#\"$word\"}\n"
    "        if ((glued)); then words[${#words[@]} - 1]+=$word; else words+=(\"$word\"); fi\n"
    "    done\n"
    "    for ((i = 1; i < ${#words[@]}; i++)); do\n"
    "        word=${words[i]}\n"
    "        quote=''\n"
    "        if [[ $word == [\\\"\\']* ]]; then quote=${word:0:1}; fi\n"
    "        word=${word#\"$quote\"}\n"
    "        if ((i < ${#words[@]} - 1)); then word=${word%\"$quote\"}; fi\n"
    "        if [[ -z $quote ]]; then word=${word//\\\\/}; fi\n"
    "        words[i]=$word\n"
    "    done\n"
    "    if [[ -z $quote ]]; then\n"
    "        if [[ $COMP_WORDBREAKS == *=* ]]; then prefix=${word%\"${word##*=}\"}; fi\n"
    "        if [[ $COMP_WORDBREAKS == *:* && ${word#\"$prefix\"} == *:* ]]; then\n"
    "            prefix=${word%\"${word##*:}\"}\n"
    "        fi\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    out=$(\"${words[0]/#\\~/$HOME}\" __complete \"${words[@]:1}\" 2>/dev/null) || return 0\n"
    "    while IFS= read -r line; do\n"
    "        if [[ -z $mode ]]; then\n"
    "            mode=$line\n"
    "            continue\n"
    "        fi\n"
    "        line=${line%%$'\\t'*}\n"
    "        if [[ $mode == files ]]; then line=${line%/}; fi\n"
    "        line=${line#\"$prefix\"}\n"
    "        if [[ $mode != files && -z $quote ]]; then printf -v line %q \"$line\"; fi\n"
    "        COMPREPLY+=(\"$line\")\n"
    "    done <<<\"$out\"\n"
    "    case $mode in\n"
    "    files) compopt -o filenames 2>/dev/null ;;\n"
    "    open) compopt -o nospace 2>/dev/null ;;\n"
    "    esac\n"
    "    return 0\n"
    "}\n"
    "complete -F _espalier espalier\n";

/* compadd would quote the '~' of a home folder. */
static const char zsh[] = "#compdef espalier\n"
                          "# zsh completion for espalier; written by 'espalier completion zsh'\n"
                          "_espalier() {\n"
                          "    local mode line width=0\n"
                          "    local -a lines before plain shown folders\n"
                          "    (( CURRENT > 2 )) && before=(\"${(@Q)words[2,CURRENT-1]}\")\n"
                          "    lines=(\"${(@f)$(${~words[1]} __complete \"${before[@]}\" "
                          "\"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
                          "    mode=$lines[1]\n"
                          "    lines=(\"${(@)lines[2,-1]}\")\n"
                          "    plain=(\"${(@)lines%%$'\\t'*}\")\n"
                          "    if [[ $mode == files ]]; then\n"
                          "        plain=(\"${(@q)plain}\")\n"
                          "        plain=(\"${(@)plain/#\\\\\\~\\//~/}\")\n"
                          "        folders=(${(M)plain:#*/})\n"
                          "        plain=(${plain:#*/})\n"
                          "        compadd -Q -f -S '' -a folders\n"
                          "        compadd -Q -f -a plain\n"
                          "        return\n"
                          "    fi\n"
                          "    for line in $plain; do (( $#line > width )) && width=$#line; done\n"
                          "    for line in $lines; do\n"
                          "        shown+=(\"${(r:width:)${line%%$'\\t'*}}  ${line#*$'\\t'}\")\n"
                          "    done\n"
                          "    if [[ $mode == open ]]; then\n"
                          "        compadd -S '' -l -d shown -a plain\n"
                          "    else\n"
                          "        compadd -l -d shown -a plain\n"
                          "    fi\n"
                          "}\n"
                          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
                          "    _espalier \"$@\"\n"
                          "else\n"
                          "    compdef _espalier espalier\n"
                          "fi\n";

static const char fish[] =
    "# fish completion for espalier; written by 'espalier completion fish'\n"
    "function __espalier_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct | string replace -r '^[\\'\"]' '')\n"
    "    set -l program $words[1]\n"
    "    set -e words[1]\n"
    "    set -l lines ($program __complete $words \"$current\" 2>/dev/null)\n"
    "    set -e lines[1]\n"
    "    test (count $lines) -gt 0; and printf '%s\\n' $lines\n"
    "end\n"
    "complete -c espalier -f -a '(__espalier_complete)'\n";

const char *complete_script(const char *shell)
{
    return !strcmp(shell, "bash")   ? bash
           : !strcmp(shell, "zsh")  ? zsh
           : !strcmp(shell, "fish") ? fish
                                    : NULL;
}
