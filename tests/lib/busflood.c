// SPDX-License-Identifier: GPL-2.0-or-later
/* busflood: a rude client. busflood SOCKET SECONDS: calls as fast as it can over the private socket of ethtuned, over
 * and over, and prints how many answers it got in a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define AT_ONCE 64

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int on_answer(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	(void)m, (void)error;
	++*(unsigned *)userdata;
	return 0;
}

static int flood(sd_bus *bus, double seconds)
{
	unsigned asked = 0, answered = 0;
	double start = now();
	int r = 0;

	while (r >= 0 && now() - start < seconds) {
		for (; asked - answered < AT_ONCE && r >= 0; asked++)
			r = sd_bus_call_method_async(bus, NULL, "org.ethtuned.Ethtuned1", "/org/ethtuned/Ethtuned1",
						     "org.ethtuned.Ethtuned1.Manager", "GetInterface", on_answer,
						     &answered, "s", "nobody");
		while (r >= 0 && (r = sd_bus_process(bus, NULL)) > 0)
			;
		if (r >= 0)
			r = sd_bus_wait(bus, 10000);
	}
	printf("%.0f\n", answered / (now() - start));
	return r;
}

int main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;
	sd_bus *bus = NULL;

	if (argc != 3)
		return 2;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", argv[1]);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		perror(argv[1]);
		return 1;
	}
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		r = flood(bus, atof(argv[2]));
	if (r < 0)
		fprintf(stderr, "busflood: %s\n", strerror(-r));
	sd_bus_close_unref(bus);
	return r < 0;
}
