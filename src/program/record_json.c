/* SPDX-License-Identifier: BSD-3-Clause */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "program/record.h"

struct json_tokener *record_json_open(void)
{
    return json_tokener_new();
}

void record_json_close(struct json_tokener *reader)
{
    if (reader)
        json_tokener_free(reader);
}

static int number_of(double *out, const char *name, struct json_object *value, struct err *err)
{
    char shown[44];

    switch (json_object_get_type(value)) {
    case json_type_int:
        /* json-c sets integers beyond its types to the nearest one that they have */
        if (json_object_get_int64(value) == INT64_MIN ||
            json_object_get_uint64(value) == UINT64_MAX)
            return err_set(
                err, "%s is an integer beyond 64 bits: write it with an exponent, as 1e20", name);
        /* fall through */
    case json_type_double:
        *out = json_object_get_double(value) + 0.0; /* turns -0 into 0 */
        return 0;
    case json_type_string:
        if (record_number(out, json_object_get_string(value),
                          (size_t)json_object_get_string_len(value)) == 0)
            return 0;
        /* fall through */
    default:
        return err_set(
            err, "%s is %s: must be a number; report each number under a name of its own", name,
            words_cut(shown, sizeof shown,
                      json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE)));
    }
}

static int take_epoch(struct record *out, struct json_object *value, struct err *err)
{
    double epoch;

    if (!value)
        return 0;
    if (number_of(&epoch, "epoch", value, err))
        return -1;
    if (!(epoch >= 0 && epoch <= INT32_MAX && epoch == floor(epoch)))
        return err_set(err, "epoch is %.*g: must be an integer from 0 to %d", 15, epoch, INT32_MAX);
    out->epoch = (int32_t)epoch;
    return 0;
}

static int take_item(struct record *out, const char *name, struct json_object *value,
                     struct err *err)
{
    size_t n = strlen(name);
    struct record_item *item = &out->item[out->n];
    char shown[74];

    if (!n || record_name_length(name, n) != n)
        return err_set(err,
                       "'%s' is no name: must consist of letters, digits and _ . / -, begin with "
                       "a letter or _, and have at most %d bytes",
                       words_cut(shown, sizeof shown, name), PROGRAM_NAME - 1);
    if (!strcmp(name, "epoch"))
        return take_epoch(out, value, err);
    if (out->n == PROGRAM_NAMES)
        return err_set(err, "more than %d names: this is the limit", PROGRAM_NAMES);
    memcpy(item->name, name, n + 1);
    item->has_value = value != NULL;
    memcpy(item->shown, "null", sizeof "null");
    if (value && number_of(&item->value, name, value, err))
        return -1;
    out->n++;
    return 0;
}

int record_json_parse(struct record *out, struct json_tokener *reader, const char *line, size_t n,
                      struct err *err)
{
    struct json_object *object;
    const char *nul = memchr(line, '\0', n);
    int rc = 0;

    record_clear(out);
    if (nul)
        return err_set(err, "byte %zu is NUL: must be text", (size_t)(nul - line) + 1);
    if (*line != '{')
        return err_set(err, "must be a JSON object, such as {\"epoch\": 3, \"loss\": 0.2}");
    json_tokener_reset(reader);
    object = json_tokener_parse_ex(reader, line, (int)n);
    if (object && json_tokener_get_parse_end(reader) == n) {
        json_object_object_foreach(object, name, value)
        {
            if (!rc)
                rc = take_item(out, name, value, err);
        }
    } else if (object)
        rc = err_set(err,
                     "byte %zu: more text after the end of the JSON object: must be one object "
                     "a line",
                     json_tokener_get_parse_end(reader) + 1);
    else if (json_tokener_get_error(reader) == json_tokener_continue)
        rc = err_set(err, "the JSON object does not end in this line");
    else
        rc = err_set(err, "byte %zu: no JSON: %s", json_tokener_get_parse_end(reader) + 1,
                     json_tokener_error_desc(json_tokener_get_error(reader)));
    json_object_put(object);
    return rc;
}
