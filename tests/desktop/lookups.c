/* Loaded before the C library by one window test: writes every host name that the program or its web view looks up
   into the file named by LOOKUPS, and looks it up as before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void record(const char *name)
{
    const char *path = getenv("LOOKUPS");
    int log = path && name ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (log < 0)
        return;
    char line[300];
    size_t length = strnlen(name, sizeof line - 1);
    memcpy(line, name, length);
    line[length] = '\n';
    ssize_t written = write(log, line, length + 1);
    (void)written;
    close(log);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        dlsym(RTLD_NEXT, "getaddrinfo");
    record(node);
    return next(node, service, hints, list);
}

struct hostent *gethostbyname(const char *name)
{
    struct hostent *(*next)(const char *) = dlsym(RTLD_NEXT, "gethostbyname");
    record(name);
    return next(name);
}

int res_query(const char *name, int class, int type, unsigned char *answer, int length)
{
    int (*next)(const char *, int, int, unsigned char *, int) = dlsym(RTLD_NEXT, "res_query");
    record(name);
    return next ? next(name, class, type, answer, length) : -1;
}
