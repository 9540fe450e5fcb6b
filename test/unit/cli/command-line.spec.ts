import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../../src/cli/convert/convert.js';
import { versionOf } from '../../../src/config/version.js';
import { identity } from './support/run-cli.js';

describe('the command line', () => {
  it('lists its commands, on standard error when none was given', async () => {
    const help = await identity(['--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('convert');
    const nothing = await identity([]);
    expect(nothing).toMatchObject({ code: 2, out: '', err: help.out });
  });

  it.each(SOURCES.map(({ name }) => name))('explains convert %s with an example', async (name) => {
    for (const args of [['--help'], ['-h'], ['--users', 'x', '--help']]) {
      const { code, out, err } = await identity(['convert', name, ...args]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: identity convert ${name}`);
      expect(out).toContain('--email-verified'.slice(0, name === 'csv' ? 0 : undefined));
      expect(out).toContain('Examples:');
      expect(out).toContain(`identity convert ${name} `);
      expect(out.split('\n').filter((line) => line.length > 120)).toEqual([]);
    }
  });

  it('asks what becomes of the messages before it releases them', async () => {
    expect(await identity(['restore', 'release'])).toEqual({
      code: 2,
      out: '',
      err:
        'identity restore release: what becomes of the messages? give --discard or --send\n' +
        "Try 'identity restore release --help'.\n",
    });
  });

  it('tells its release', async () => {
    expect(await identity(['--version'])).toEqual({ code: 0, out: 'identity 1.2.3\n', err: '' });
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(versionOf(path.resolve('src/cli'))).toBe(version);
  });

  it.each([
    ['an unknown command', ['frobnicate', 'secret-value'], 'unknown command. Known commands: convert'],
    ['a secret for a command', ["secret-value'\n'"], 'unknown command. Known commands: convert'],
    ['a mistyped command', ['convrt', 'secret-value'], 'unknown command (Did you mean convert?)'],
    [
      'a mistyped command of a group that takes a file',
      ['import', 'stauts'],
      'unknown command (Did you mean status?); for a file of that name, write ./<file>',
    ],
    ['letters swapped', ['users', 'lsit'], '(Did you mean list?)'],
    ['an unknown source', ['convert', 'ldap'], 'unknown command. Known commands: auth0, keycloak'],
    ['an unknown option', ['convert', 'okta', '--colour', 'x'], "unknown option '--colour'"],
    [
      'an unknown option with a value',
      ['users', 'list', '--secret=secret-value'],
      "unknown option '--secret'",
    ],
    ['a mistyped option', ['convert', 'okta', '--user', 'x'], "option '--user' (Did you mean --users?)"],
    ['a mistyped option with a value', ['convert', 'okta', '--user=secret-value'], '(Did you mean --users?)'],
    [
      'an argument that looks like an option',
      ['import', 'status', '-Rsecret-value'],
      'unknown option; put -- before arguments that begin with a hyphen',
    ],
    ['a missing option', ['convert', 'okta'], "required option '--users <file>' not specified"],
    ['a missing argument', ['users', 'get'], "missing required argument 'user'"],
    ['an option without its value', ['convert', 'okta', '--users'], "'--users <file>' argument missing"],
    [
      'an option in the place of a value',
      ['convert', 'okta', '--users', '--force'],
      "'--users <file>' argument missing; write a value that begins with a hyphen as --users=<value>",
    ],
    ['an empty value', ['convert', 'okta', '--users='], "'--users <file>' has no value"],
    [
      'a choice that is none',
      ['import', 'x', '--mode', 'secret-value'],
      "option '--mode <mode>' argument is invalid. Allowed choices are insert, skip, upsert.",
    ],
    [
      'a number that is none',
      ['users', 'list', '--limit', 'secret-value'],
      "option '--limit <n>' argument is invalid. Must be a whole number, 1 or more.",
    ],
    [
      'options before the command they are meant for',
      ['import', '--json', 'status'],
      'put options of "status" after it',
    ],
    [
      'a truth that is none',
      ['convert', 'okta', '--users', 'x', '--email-verified=maybe'],
      'Must be true or false.',
    ],
    [
      'a provider that is named twice',
      ['convert', 'keycloak', '--realm', 'x', '--idp', 'secret-value=1', '--idp', 'secret-value=2'],
      'Each alias must be given once.',
    ],
    [
      'a provider for a source without links',
      ['convert', 'okta', '--users', 'x', '--idp', 'a=1'],
      "unknown option '--idp'",
    ],
    ['an argument too many', ['convert', 'okta', '--users', 'x', 'secret-value'], 'too many arguments'],
  ])('refuses %s with 2 and the way to the help', async (_name, args, message) => {
    const { code, out, err } = await identity(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/Try 'identity.* --help'\.\n$/);
    expect(err).not.toContain('secret-value');
  });

  it.each(['google', '=1', 'google=', 'google=https://secret-value/', 'google=secret value'])(
    'says how --idp is written, given %s',
    async (malformed) => {
      const { code, err } = await identity(['convert', 'keycloak', '--realm', 'x', '--idp', malformed]);
      expect(code).toBe(2);
      expect(err).toContain(
        "option '--idp <alias=id>' argument is invalid. Must be <alias>=<id of a provider here>, such as google=2837",
      );
      expect(err).not.toContain('secret');
    },
  );
});
