// SPDX-License-Identifier: GPL-2.0-or-later
/* Files below /sys/kernel/debug/nicdouble/N:
 *   manners   "name=value" each; a write may have several, and "reset"
 *   log       requests for coalescing, oldest first: queue (-1: device), the six values, result; a write empties it */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "double.h"

static const struct {
	const char *name;
	size_t offset;
	u32 value;
} manner_table[] = {
#define MANNER(name, value, what) { #name, offsetof(struct manners, name), value },
#include "manners.def"
#undef MANNER
};

static const struct {
	const char *name;
	size_t offset;
	const char *value;
} name_table[] = {
#define NAME(name, value, what) { #name, offsetof(struct names, name), value },
#include "names.def"
#undef NAME
};

static u32 *manner(struct nic *nic, unsigned int i)
{
	return (u32 *)((char *)&nic->manners + manner_table[i].offset);
}

static char *name(struct nic *nic, unsigned int i)
{
	return (char *)&nic->names + name_table[i].offset;
}

void control_defaults(struct nic *nic)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(manner_table); i++)
		*manner(nic, i) = manner_table[i].value;
	for (i = 0; i < ARRAY_SIZE(name_table); i++)
		strscpy(name(nic, i), name_table[i].value, NAME_LEN);
	coalesce_defaults(nic, BIT(KNOBS) - 1);
}

static int manners_show(struct seq_file *s, void *unused)
{
	struct nic *nic = s->private;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(manner_table); i++)
		seq_printf(s, "%s=%u\n", manner_table[i].name, *manner(nic, i));
	for (i = 0; i < ARRAY_SIZE(name_table); i++)
		seq_printf(s, "%s=%s\n", name_table[i].name, name(nic, i));
	return 0;
}

static int manners_open(struct inode *inode, struct file *file)
{
	return single_open(file, manners_show, inode->i_private);
}

/* One word; names may hold a blank as '+'. */
static int change(struct nic *nic, char *word)
{
	char *value = strchr(word, '=');
	unsigned int i;

	if (!strcmp(word, "reset")) {
		control_defaults(nic);
		return 0;
	}
	if (!value)
		return -EINVAL;
	*value++ = '\0';
	for (i = 0; i < ARRAY_SIZE(manner_table); i++) {
		if (!strcmp(word, manner_table[i].name))
			return kstrtou32(value, 0, manner(nic, i));
	}
	for (i = 0; i < ARRAY_SIZE(name_table); i++) {
		if (strcmp(word, name_table[i].name))
			continue;
		strreplace(value, '+', ' ');
		strscpy(name(nic, i), value, NAME_LEN);
		return 0;
	}
	return -ENOENT;
}

static ssize_t manners_write(struct file *file, const char __user *user, size_t n, loff_t *pos)
{
	struct nic *nic = ((struct seq_file *)file->private_data)->private;
	char *text, *rest, *word;
	bool reset = false;
	int rc = 0;

	if (n > PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(user, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	rtnl_lock();
	while (!rc && (word = strsep(&rest, " \n"))) {
		if (*word)
			rc = change(nic, word);
		reset |= !strcmp(word, "reset");
	}
	if (reset)
		coalesce_defaults(nic, BIT(KNOBS) - 1);
	ethtool_build(nic);
	rtnl_unlock();
	kfree(text);
	return rc ? rc : (ssize_t)n;
}

static const struct file_operations manners_fops = {
	.owner = THIS_MODULE,
	.open = manners_open,
	.read = seq_read,
	.write = manners_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int log_show(struct seq_file *s, void *unused)
{
	struct nic *nic = s->private;
	u64 n, first;
	unsigned int k;

	rtnl_lock();
	first = nic->requests > LOG_LEN ? nic->requests - LOG_LEN : 0;
	for (n = first; n < nic->requests; n++) {
		const struct request *r = &nic->log[n % LOG_LEN];

		seq_printf(s, "%d", r->queue);
		for (k = 0; k < KNOBS; k++)
			seq_printf(s, " %u", r->value[k]);
		seq_printf(s, " %d\n", r->result);
	}
	rtnl_unlock();
	return 0;
}

static int log_open(struct inode *inode, struct file *file)
{
	return single_open(file, log_show, inode->i_private);
}

static ssize_t log_write(struct file *file, const char __user *user, size_t n, loff_t *pos)
{
	struct nic *nic = ((struct seq_file *)file->private_data)->private;

	rtnl_lock();
	nic->requests = 0;
	rtnl_unlock();
	return n;
}

static const struct file_operations log_fops = {
	.owner = THIS_MODULE,
	.open = log_open,
	.read = seq_read,
	.write = log_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void control_init(struct nic *nic, struct dentry *root)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", nic->number);
	nic->dir = debugfs_create_dir(number, root);
	debugfs_create_file("manners", 0600, nic->dir, nic, &manners_fops);
	debugfs_create_file("log", 0600, nic->dir, nic, &log_fops);
}
