/* Asks the windows of a process to close, as the button of the title bar does, and waits until they are gone. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdlib.h>
#include <string.h>

static Display *display;
static unsigned long process;
static int open_windows;

/* Whether the property of the window holds this number, in one of its places. */
static int holds(Window window, const char *property, unsigned long number) {
    Atom type;
    int format;
    unsigned long count, after;
    unsigned char *data = NULL;
    Atom name = XInternAtom(display, property, False);
    int found = 0;
    if (XGetWindowProperty(display, window, name, 0, 64, False, AnyPropertyType, &type, &format, &count, &after, &data) ==
            Success &&
        format == 32)
        for (unsigned long i = 0; i < count; i++) found |= ((unsigned long *)data)[i] == number;
    if (data) XFree(data);
    return found;
}

static void close_below(Window window) {
    Atom close = XInternAtom(display, "WM_DELETE_WINDOW", False);
    XWindowAttributes seen;
    if (holds(window, "_NET_WM_PID", process) && holds(window, "WM_PROTOCOLS", close) &&
        XGetWindowAttributes(display, window, &seen) && seen.map_state == IsViewable) {
        XEvent event;
        memset(&event, 0, sizeof event);
        event.xclient.type = ClientMessage;
        event.xclient.window = window;
        event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
        event.xclient.format = 32;
        event.xclient.data.l[0] = (long)close;
        XSelectInput(display, window, StructureNotifyMask);
        XSendEvent(display, window, False, NoEventMask, &event);
        open_windows++;
    }
    Window root, parent, *children = NULL;
    unsigned int count = 0;
    if (XQueryTree(display, window, &root, &parent, &children, &count)) {
        for (unsigned int i = 0; i < count; i++) close_below(children[i]);
        if (children) XFree(children);
    }
}

/* A window that goes away while it is looked at is none. */
static int ignored(Display *where, XErrorEvent *error) {
    (void)where, (void)error;
    return 0;
}

int main(int count, char **words) {
    if (count != 2 || !(display = XOpenDisplay(NULL))) return 1;
    process = strtoul(words[1], NULL, 10);
    XSetErrorHandler(ignored);
    close_below(DefaultRootWindow(display));
    if (!open_windows) return 1;
    while (open_windows > 0) {
        XEvent event;
        XNextEvent(display, &event);
        open_windows -= event.type == DestroyNotify && event.xdestroywindow.event == event.xdestroywindow.window;
    }
    XCloseDisplay(display);
    return 0;
}
