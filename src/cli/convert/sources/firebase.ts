import { readFile } from 'node:fs/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { readFailure } from '../../files/bytes-of.js';
import { UsageError } from '../../shell/exit.js';
import { emailVerifiedOption } from '../../shell/options.js';
import { Unconvertible, type ConvertedHuman, type Note } from '../converted-human.js';
import { idpOption, ProviderLinks, type SourceLink } from '../provider-links.js';
import { jsonElements } from '../reading/json-elements.js';
import { source } from '../source.js';
import {
  addMetadata,
  addPhone,
  asForeignId,
  asInstant,
  asList,
  asObject,
  asText,
  asTruth,
  defined,
  requireEmail,
  requireObject,
  splitName,
  type JsonObject,
} from '../values.js';
import { CSV_REMARK, firebaseCsvRecords } from './firebase-csv.js';
import { firebaseHash, readHashConfig, type FirebaseHashing } from './firebase-hash.js';

export const firebase = source({
  name: 'firebase',
  summary: 'Convert users exported by firebase auth:export',
  description:
    'Carried over: id, display name, e-mail, phone (verified), picture, disabled, creation date, custom claims (as ' +
    "metadata) and passwords of Firebase's own scrypt, for which the project's hash parameters are needed: the console " +
    'shows them under Authentication, Users, the three dots. Use JSON rather than CSV, which Firebase does not quote ' +
    'correctly. Links to the providers that --idp names are carried over, others are counted in the summary. Second factors, and ' +
    'links to providers other than Google, Facebook, Twitter and GitHub, are not exported.',
  options: new Command()
    .requiredOption('--users <file>', 'the export, JSON or CSV; - is standard input')
    .addOption(
      new Option('--input-format <format>', 'format of the file (default: by its name)').choices([
        'json',
        'csv',
      ]),
    )
    .option('--hash-config <file>', 'the hash parameters as the console shows them (hash_config { … })')
    .option('--hash-key <key>', 'base64_signer_key; use --hash-config to keep it off the command line')
    .option('--salt-separator <text>', 'base64_salt_separator')
    .option('--rounds <n>', 'rounds')
    .option('--mem-cost <n>', 'mem_cost')
    .addOption(
      new Option('--passwords <what>', 'drop: users come without their password and set a new one').choices([
        'keep',
        'drop',
      ]),
    )
    .addOption(idpOption('its provider id, such as google.com'))
    .addOption(
      emailVerifiedOption('marks every e-mail address as verified or unverified (default: as in the export)'),
    ),
  examples: [
    'firebase auth:export users.json --format=json --project acme',
    'identity convert firebase --users users.json --hash-config hash_config.txt --output users.ndjson',
    'identity convert firebase --users users.json --passwords drop --idp google.com=283746520198471234',
  ],

  async open(given, open) {
    const hashing = given.passwords === 'drop' ? undefined : await hashingOf(given);
    const isCsv = (given.inputFormat ?? (/\.csv(?:\.gz)?$/i.test(given.users) ? 'csv' : 'json')) === 'csv';
    const links = new ProviderLinks(given.idp);
    return {
      records: () =>
        isCsv ? firebaseCsvRecords(open(given.users)) : jsonElements(open(given.users), 'users', given.users),
      convert: (value, note) => convert(requireObject(value), given.emailVerified, hashing, links, note),
      remarks: () => [...(isCsv ? [CSV_REMARK] : []), ...links.remarks()],
    };
  },
});

interface HashOptions {
  readonly hashConfig?: string | undefined;
  readonly hashKey?: string | undefined;
  readonly saltSeparator?: string | undefined;
  readonly rounds?: string | undefined;
  readonly memCost?: string | undefined;
}

async function hashingOf(given: HashOptions): Promise<FirebaseHashing> {
  const file = given.hashConfig;
  if (file !== undefined) {
    const content = await readFile(file, 'utf8').catch((error: unknown) => {
      throw readFailure(file, error);
    });
    return readHashConfig(content);
  }
  if (given.hashKey === undefined) {
    throw new UsageError(
      "passwords need the project's hash parameters: --hash-config FILE, or --passwords drop to leave them behind",
    );
  }
  const { hashKey: key, saltSeparator: separator, rounds, memCost: memory } = given;
  return readHashConfig(
    `base64_signer_key: ${key},\nbase64_salt_separator: ${separator ?? ''},\nrounds: ${rounds ?? ''},\nmem_cost: ${memory ?? ''},`,
  );
}

function convert(
  user: JsonObject,
  emailVerified: boolean | undefined,
  hashing: FirebaseHashing | undefined,
  links: ProviderLinks,
  note: Note,
): ConvertedHuman {
  const email = requireEmail(user['email']);
  const name = asText(user['displayName']);
  const { first, last } = splitName(name ?? email);
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({
      userId: asText(user['localId']),
      state: asTruth(user['disabled']) === true ? 'inactive' : undefined,
      createdAt: asInstant(user['createdAt']),
    }),
    userName: email,
    profile: {
      firstName: first,
      lastName: last,
      ...defined({ displayName: name, picture: asText(user['photoUrl']) }),
    },
    email: {
      email,
      ...((emailVerified ?? asTruth(user['emailVerified'])) === true && { isEmailVerified: true }),
    },
  };
  // Firebase has no other numbers than those that a user proved
  addPhone(human, user['phoneNumber'], true, note);
  addMetadata(human, 'customAttributes', user['customAttributes']);
  const hash = asText(user['passwordHash']);
  if (hash !== undefined && hashing !== undefined) {
    const salt = asText(user['salt']);
    if (salt === undefined) throw new Unconvertible('the password has no salt');
    human.hashedPassword = { value: firebaseHash(hashing, salt, hash) };
  }
  const providers = linksOf(user);
  links.addTo(human, providers, note);
  if (hash === undefined && providers.length === 0)
    note('has no password in the export: the user sets a new one');
  return human;
}

/** Its own ways to sign in, which the list of providers may have as well. */
const OWN = new Set(['password', 'phone', 'emailLink']);

function linksOf(user: JsonObject): readonly SourceLink[] {
  return asList(user['providerUserInfo']).flatMap((one) => {
    const link = asObject(one) ?? {};
    const alias = asText(link['providerId']);
    if (alias !== undefined && OWN.has(alias)) return [];
    return {
      alias,
      subject: asForeignId(link['rawId']),
      displayName: asText(link['email']) ?? asText(link['displayName']),
    };
  });
}
