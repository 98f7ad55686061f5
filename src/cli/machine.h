/* The machine this process runs on, for records and for `doctor`. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stddef.h>

/* Both fill text[size] and return it; "unknown" where the system does not say. */
char *machine_cpu(char *text, size_t size); /* model name of the processor */
char *machine_host(char *text, size_t size);

#endif
