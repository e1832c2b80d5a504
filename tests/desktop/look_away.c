/* Takes the keyboard from every window of the display, as another program does that comes to the front. */
#include <X11/Xlib.h>

int main(void) {
    Display *display = XOpenDisplay(NULL);
    if (!display) return 1;
    XSetInputFocus(display, None, RevertToNone, CurrentTime);
    XCloseDisplay(display);
    return 0;
}
