/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/keypair.h"

#include "base/file.h"

#include <errno.h>
#include <libssh/libssh.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void forget_text(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	ssh_string_free_char(text);
}

static int put_public(struct keypair *pair, ssh_key key, const char *name)
{
	char *text = NULL;
	int n;

	if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK)
		return -EIO;
	n = snprintf(pair->public_key, sizeof(pair->public_key), "%s %s%s%s",
		     ssh_key_type_to_char(ssh_key_type(key)), text,
		     *name ? " " : "", name);
	ssh_string_free_char(text);
	return n < (int)sizeof(pair->public_key) ? 0 : -ENAMETOOLONG;
}

static int put_private(struct keypair *pair, ssh_key key)
{
	char *text = NULL;
	int n;

	if (ssh_pki_export_privkey_base64(key, NULL, NULL, NULL, &text) !=
	    SSH_OK)
		return -EIO;
	n = snprintf(pair->private_key, sizeof(pair->private_key), "%s", text);
	forget_text(text);
	return n < (int)sizeof(pair->private_key) ? 0 : -ENAMETOOLONG;
}

int keypair_make(struct keypair *pair, const char *name, struct error *err)
{
	ssh_key key = NULL;
	int r = -EIO;

	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK)
		r = put_public(pair, key, name);
	if (r == 0)
		r = put_private(pair, key);
	ssh_key_free(key);
	if (r == 0)
		return 0;
	keypair_forget(pair);
	return error_set(err, r, "cannot make an ssh key: %s", strerror(-r));
}

int keypair_read(struct keypair *pair, const char *path, struct error *err)
{
	char *text = pair->private_key;
	ssh_key key = NULL;
	size_t n = 0;
	int r = file_read(path, text, sizeof(pair->private_key), &n, err);

	if (r < 0)
		return r;
	r = -EINVAL;
	if (n < sizeof(pair->private_key)) {
		text[n] = '\0';
		/* without any passphrase a person would be asked for one */
		if (ssh_pki_import_privkey_base64(text, "", NULL, NULL, &key) ==
		    SSH_OK)
			r = put_public(pair, key, "");
		ssh_key_free(key);
	}
	if (r == 0)
		return 0;
	keypair_forget(pair);
	return error_set(err, r,
			 "%s is not a private key for ssh without a "
			 "passphrase, in OpenSSH's or PEM format",
			 path);
}

int keypair_write(const struct keypair *pair, const char *path,
		  struct error *err)
{
	char public_path[PATH_MAX], line[KEYPAIR_PUBLIC_MAX + 1];
	int n, r;

	n = snprintf(public_path, sizeof(public_path), "%s.pub", path);
	if (n >= (int)sizeof(public_path))
		return error_set(err, -ENAMETOOLONG, "%s: name too long", path);
	r = file_replace(path, 0600, pair->private_key,
			 strlen(pair->private_key), err);
	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%s\n", pair->public_key);
	return file_replace(public_path, 0644, line, (size_t)n, err);
}

void keypair_forget(struct keypair *pair)
{
	explicit_bzero(pair, sizeof(*pair));
}
