// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz-config: any bytes as a configuration file. With clang: -fsanitize=fuzzer,address,undefined. Else a program that
 * reads its arguments as files, and without arguments random lines made of the tables' words (seed in $SEED, printed).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/config-keys.h"
#include "engine/config-read.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void once(unsigned groups, const char *text)
{
	struct config config = { 0 };
	struct config_reader r = { .config = &config, .groups = groups };
	struct match_subject s = { 0 };

	config_settings_default(&config.settings);
	match_subject_add(&s, MATCH_NAME, "eth0");
	config_read_file(&r, "/x/50-fuzz.conf", text);
	config_read_file(&r, "60-drop-in.conf", text); /* goes on with what the first left open */
	config_read_end(&r);
	config_policy_for(&config, &s);
	for (size_t i = 0; i < config.n_policies; i++)
		if (mode_table[config.policies[i].policy.mode].tunes &&
		    policy_check(&config.policies[i].policy, (char[ERR_MAX]){ 0 }))
			abort(); /* an unsafe policy came through */
	free(config.policies);
	free(config.quirks);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = 0;
	once(CONFIG_MAIN | CONFIG_POLICY, text);
	once(CONFIG_QUIRK, text);
	free(text);
	return 0;
}

#ifndef FUZZER
static const char *word(unsigned *seed)
{
	static const char *const values[] = { "",    "0",	 "1",	"32",	"..",	   "5..9",  "9..5", "100us",
					      "40%", "10%..90%", "off", "on",	"!a b*",   ">=6.1", "[",    "\\",
					      "#",   ";",	 "=",	"\xff", "latency", "auto" };
	static const char *const sections[] = { "[queue 1-3]", "[queue 2]", "[queue 999]", "[match]", "[x]", "[" };

	switch (rand_r(seed) % 5) {
	case 0: return config_keys[(size_t)rand_r(seed) % config_n_keys].name;
	case 1: return knob_table[rand_r(seed) % KNOB_COUNT].name;
	case 2: return config_sections[rand_r(seed) % SECTION_COUNT].name;
	case 3: return sections[(size_t)rand_r(seed) % (sizeof(sections) / sizeof(sections[0]))];
	}
	return values[(size_t)rand_r(seed) % (sizeof(values) / sizeof(values[0]))];
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL) ^ (unsigned)getpid();
	static char text[65536];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");
		size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

		LLVMFuzzerTestOneInput((unsigned char *)text, n);
		if (f)
			fclose(f);
	}
	if (argc > 1)
		return 0;
	printf("seed %u\n", seed);
	for (int round = 0; round < 3000; round++) {
		size_t n = 0;

		for (int lines = rand_r(&seed) % 40; lines > 0; lines--) {
			const char *fmt = rand_r(&seed) % 4 ? "%s = %s\n" : "[%s]\n";

			n += (size_t)snprintf(text + n, sizeof(text) - n, fmt, word(&seed), word(&seed));
		}
		if (n && rand_r(&seed) % 3 == 0)
			text[(size_t)rand_r(&seed) % n] = (char)rand_r(&seed);
		LLVMFuzzerTestOneInput((unsigned char *)text, n);
	}
	return 0;
}
#endif
