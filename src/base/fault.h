/* Named points of the protocol at which the tests' build of the program (tests/mpi/faults.c) can be
 * killed. In every other build they are nothing. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#ifdef ESPALIER_FAULTS
void fault_point(const char *name);
#define FAULT(name) fault_point(name)
#else
#define FAULT(name) ((void)0)
#endif

#endif
