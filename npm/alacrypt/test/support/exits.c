/*
 * Recorder of exit handlers, for LD_PRELOAD: each call of atexit, __cxa_atexit and on_exit is
 * appended to the file that EXITS_RECORD names, as one line with the library that called.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void record(const char *what, void *caller) {
  const char *path = getenv("EXITS_RECORD");
  Dl_info info;
  char line[4096];
  if (path == NULL) return;
  int known = dladdr(caller, &info) != 0 && info.dli_fname != NULL;
  int length = snprintf(line, sizeof line, "%s %s\n", what, known ? info.dli_fname : "unknown");
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  if (write(file, line, (size_t)length) != length) abort();
  close(file);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
  record("__cxa_atexit", __builtin_return_address(0));
  int (*next)(void (*)(void *), void *, void *) = dlsym(RTLD_NEXT, "__cxa_atexit");
  return next(function, argument, library);
}

int on_exit(void (*function)(int, void *), void *argument) {
  record("on_exit", __builtin_return_address(0));
  int (*next)(void (*)(int, void *), void *) = dlsym(RTLD_NEXT, "on_exit");
  return next(function, argument);
}

/* The C library links its own atexit statically into each caller; one that does not is caught here. */
int atexit(void (*function)(void)) {
  record("atexit", __builtin_return_address(0));
  int (*next)(void (*)(void *), void *, void *) = dlsym(RTLD_NEXT, "__cxa_atexit");
  return next((void (*)(void *))function, NULL, NULL);
}
