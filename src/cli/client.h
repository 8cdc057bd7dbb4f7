// SPDX-License-Identifier: GPL-2.0-or-later
/* client: talks to the running daemon, over the private socket or the system bus. What it says becomes JSON, and text
 * is made of that. */
#pragma once
#include <json-c/json.h>
#include <systemd/sd-bus.h>

#include "cli/cmd.h"

#define CLIENT_NAME "org.ethtuned.Ethtuned1"
#define CLIENT_PATH "/org/ethtuned/Ethtuned1"
#define CLIENT_MANAGER CLIENT_NAME ".Manager"
#define CLIENT_NIC CLIENT_NAME ".Interface"

struct client {
	const struct cmd *cmd;
	sd_bus *bus;
	char *say; /* ERR_MAX bytes that get what else goes to stderr; NULL: none */
};

/* 0 or negative errno, quietly; -ENXIO: no daemon is running. client_close() also after a failure. */
int client_try(struct client *c, const struct cmd *cmd);
/* Returns EXIT_DONE, or EXIT_FAILED after one line on stderr. */
int client_open(struct client *c, const struct cmd *cmd);
void client_close(struct client *c);

/* A method of the daemon as a whole; types and what follows as for sd_bus_message_append(). ret may be NULL. Returns an
 * exit code, other than EXIT_DONE after one line on stderr. */
int client_call(struct client *c, sd_bus_message **ret, const char *method, const char *types, ...);
/* Every interface with all of its properties, in order of number, as one array; name: only this one (NULL: all). An
 * exit code as above. The caller frees *ret with json_object_put(). */
int client_nics(struct client *c, const char *name, json_object **ret);

/* client-json.c: the value at the cursor of m; negative errno. Keys "RxUsecs" become "rx_usecs". */
int client_json(sd_bus_message *m, json_object **ret);
/* Properties of an interface: what is not known becomes null, what is missing too. */
void client_json_nic(json_object *nic);

/* Of what client_nics() returns: "" and -1 for null and for what is missing. */
const char *nic_word(json_object *nic, const char *key);
double nic_number(json_object *nic, const char *key);
double nic_rate(json_object *nic, const char *key);
/* "rx-usecs 50 us, rx-frames 0" of an object of knobs; "" for none. Returns buf. */
const char *nic_knobs(json_object *nic, const char *key, char *buf, size_t size);
/* State, or what somebody asked for instead: "paused", "restored". */
const char *nic_state(json_object *nic);
