/* SPDX-License-Identifier: BSD-3-Clause */
/* A template of any bytes. Values never change the number of words, and a command's line for a shell
 * gives the same words again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *value_of(void *source, const char *name)
{
    (void)name;
    return source;
}

static void expand(struct template_words *out, const struct template *t, char *value)
{
    struct err err;

    if (template_expand(out, t, value_of, value, &err))
        abort();
}

static void check_line(const struct template_words *words)
{
    struct buf line = {0}, doubled = {0};
    struct template_words again;
    struct template t;
    struct err err;

    if (!words->word[0][strspn(words->word[0], " \t\r\n")])
        return; /* no program */
    template_put_command(&line, words);
    for (const char *c = buf_text(&line); *c; c++) {
        buf_putc(&doubled, *c);
        if (*c == '{' || *c == '}')
            buf_putc(&doubled, *c);
    }
    if (template_parse(&t, buf_text(&doubled), &err))
        abort();
    expand(&again, &t, NULL);
    if (again.n != words->n)
        abort();
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(again.word[i], words->word[i]) != 0)
            abort();
    template_words_release(&again);
    template_release(&t);
    buf_release(&line);
    buf_release(&doubled);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static int (*const parse[])(struct template *, const char *, struct err *) = {
        template_parse, template_parse_shell, template_parse_env};
    static char plain[] = "1", hostile[] = "' \"\n\\{x}$(a)";
    char *text = malloc(n + 1);

    if (!text)
        return 0;
    memcpy(text, bytes, n);
    text[n] = '\0';
    for (int i = 0; i < 3; i++) {
        struct template_words few, many;
        const struct template_piece *place;
        struct template t;
        struct err err;
        size_t last = 0;
        bool is_fixed = true;

        if (parse[i](&t, text, &err))
            continue;
        for (size_t k = 0; (place = template_place(&t, k)); k++, last = place->at) {
            if (place->at <= last || place->at > n || text[place->at - 1] != '{')
                abort();
            is_fixed &= !place->flag && !place->is_list;
        }
        if (!is_fixed) {
            expand(&few, &t, plain);
            template_words_release(&few);
            template_release(&t);
            continue;
        }
        expand(&few, &t, plain);
        expand(&many, &t, hostile);
        if (few.n != many.n)
            abort();
        if (many.n)
            check_line(&many);
        template_words_release(&few);
        template_words_release(&many);
        template_release(&t);
    }
    free(text);
    return 0;
}
