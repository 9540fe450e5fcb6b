import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { readFailure } from '../../files/bytes-of.js';
import { OperationFailed } from '../../shell/exit.js';
import { emailVerifiedOption } from '../../shell/options.js';
import { NotAPerson, type ConvertedHuman, type Note } from '../converted-human.js';
import { idpOption, ProviderLinks, type SourceLink } from '../provider-links.js';
import { jsonElements } from '../reading/json-elements.js';
import type { SourceRecord } from '../reading/source-record.js';
import { source, type OpenFile } from '../source.js';
import {
  addMetadata,
  addPhone,
  asForeignId,
  asInstant,
  asLanguage,
  asList,
  asObject,
  asText,
  asTruth,
  defined,
  namesOf,
  requireEmail,
  requireObject,
  type JsonObject,
} from '../values.js';
import { passwordHashOf, totpSecretOf } from './keycloak-credentials.js';

const FEDERATED_REMARK =
  'Not carried over: credentials, attributes, roles and links that Keycloak stores for users of a federation ' +
  '(<realm>-federated-users-<n>.json).';

export const keycloak = source({
  name: 'keycloak',
  summary: 'Convert the users of a Keycloak realm export',
  description:
    'Carried over: id, names, e-mail, enabled, creation date, attributes (as metadata; phoneNumber and locale as such), ' +
    'PBKDF2 and Argon2 passwords, TOTP secrets, links to the identity providers that --idp names. Not carried over and ' +
    'counted in the summary: other such links, groups, roles, passkeys, recovery codes, required actions. ' +
    'Service accounts are skipped.',
  options: new Command()
    .requiredOption(
      '--realm <path>',
      'the export: a file (kc.sh export --file) or a directory (kc.sh export --dir) of one realm; - is standard input',
    )
    .addOption(idpOption('the alias of the identity provider'))
    .addOption(
      emailVerifiedOption('marks every e-mail address as verified or unverified (default: as in the export)'),
    ),
  examples: [
    'identity convert keycloak --realm acme-realm.json --output users.ndjson',
    'identity convert keycloak --realm acme-realm.json --idp google=283746520198471234 --output users.ndjson',
    'identity convert keycloak --realm export/ --format dataorgs --org 283746520198471234 --output importBody.json',
  ],

  async open(given, open) {
    const { files, hasFederated } = await exportAt(given.realm);
    const links = new ProviderLinks(given.idp);
    return {
      records: () => records(files, open),
      convert: (value, note) => {
        const user = requireObject(value);
        const human = convert(user, given.emailVerified, note);
        links.addTo(human, linksOf(user), note);
        return human;
      },
      remarks: () => [...(hasFederated ? [FEDERATED_REMARK] : []), ...links.remarks()],
    };
  },
});

interface Export {
  /** `acme-realm.json` and `acme-users-0.json` to `acme-users-9.json` of one realm, in that order. */
  readonly files: readonly string[];
  /** `acme-federated-users-0.json`: what Keycloak keeps for users of a federation, by their ids there, without an address. */
  readonly hasFederated: boolean;
}

async function exportAt(given: string): Promise<Export> {
  if (given === '-') return { files: [given], hasFederated: false };
  try {
    if (!(await stat(given)).isDirectory()) return { files: [given], hasFederated: false };
    const parts = (await readdir(given))
      .map((name) => /^(?<realm>.+)-(?:realm|users-(?<number>\d+))\.json$/.exec(name))
      .filter((match) => match !== null);
    const realms = new Set(parts.map((part) => part.groups?.['realm']));
    const ofRealm = parts.filter((part) => !isFederated(part, realms));
    if (ofRealm.length === 0)
      throw new OperationFailed(`${given} has no <realm>-users-<n>.json and no <realm>-realm.json`);
    const left = new Set(ofRealm.map((part) => part.groups?.['realm']));
    if (left.size > 1) {
      throw new OperationFailed(
        `${given} holds ${left.size} realms: give the files of one in a directory of its own`,
      );
    }
    const inOrder = ofRealm.sort(
      (a, b) => Number(a.groups?.['number'] ?? -1) - Number(b.groups?.['number'] ?? -1),
    );
    return {
      files: inOrder.map((part) => path.join(given, part[0])),
      hasFederated: ofRealm.length < parts.length,
    };
  } catch (error) {
    throw readFailure(given, error);
  }
}

/** Its name reads like a file of the realm `acme-federated`, which it is where there is no realm `acme`. */
function isFederated({ groups }: RegExpExecArray, realms: ReadonlySet<string | undefined>): boolean {
  const [, realm] = /^(.+)-federated$/.exec(groups?.['realm'] ?? '') ?? [];
  return realm !== undefined && groups?.['number'] !== undefined && realms.has(realm);
}

async function* records(files: readonly string[], open: OpenFile): AsyncGenerator<SourceRecord> {
  const isSingle = files.length === 1;
  for (const file of files) {
    // the realm's own file in a directory has users only when they were exported into it
    const withoutList = isSingle ? 'fails' : 'is empty';
    for await (const record of jsonElements(open(file), 'users', file, withoutList)) {
      yield isSingle ? record : { ...record, place: { ...record.place, file: path.basename(file) } };
    }
  }
}

function convert(user: JsonObject, emailVerified: boolean | undefined, note: Note): ConvertedHuman {
  if (Array.isArray(user['users'])) {
    throw new OperationFailed(
      'the file is a list of realms: export the one whose users are to move (--realm)',
    );
  }
  if (asText(user['serviceAccountClientId']) !== undefined) {
    throw new NotAPerson('a service account: create a service user with credentials of its own');
  }
  const email = requireEmail(user['email']);
  const userName = asText(user['username']) ?? email;
  const attributes = asObject(user['attributes']) ?? {};
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({
      userId: asText(user['id']),
      state: asTruth(user['enabled']) === false ? 'inactive' : undefined,
      createdAt: asInstant(user['createdTimestamp']),
      totpSecret: totpSecretOf(asList(user['credentials']), note),
    }),
    userName,
    profile: {
      ...namesOf(asText(user['firstName']), asText(user['lastName']), userName),
      ...defined({ preferredLanguage: asLanguage(firstOf(attributes['locale'])) }),
    },
    email: {
      email,
      ...((emailVerified ?? asTruth(user['emailVerified'])) === true && { isEmailVerified: true }),
    },
  };
  const { locale: _locale, phoneNumber, phoneNumberVerified, ...others } = attributes;
  addPhone(human, firstOf(phoneNumber), asTruth(firstOf(phoneNumberVerified)), note);
  for (const [key, value] of Object.entries(others)) addMetadata(human, key, value);
  const hash = passwordHashOf(asList(user['credentials']), note);
  if (hash !== undefined) human.hashedPassword = { value: hash };
  noteWhatStays(user, note);
  return human;
}

function linksOf(user: JsonObject): readonly SourceLink[] {
  return asList(user['federatedIdentities']).map((one) => {
    const link = asObject(one) ?? {};
    return {
      alias: asText(link['identityProvider']),
      subject: asForeignId(link['userId']),
      displayName: asText(link['userName']),
    };
  });
}

/** Attributes are lists, of one value nearly always. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}

/** Roles that Keycloak itself gives to everybody. */
const EVERYBODYS = /^(?:default-roles-.*|offline_access|uma_authorization)$/;

function noteWhatStays(user: JsonObject, note: Note): void {
  const roles = asList(user['realmRoles']).some((role) => typeof role === 'string' && !EVERYBODYS.test(role));
  const clientRoles = Object.keys(asObject(user['clientRoles']) ?? {}).some((client) => client !== 'account');
  if (roles || clientRoles) note('roles are not carried over');
  if (asList(user['groups']).length > 0) note('group memberships are not carried over');
  if (asText(user['federationLink']) !== undefined)
    note('a user of a federation (LDAP): the password stays there');
  if (asList(user['requiredActions']).some((action) => action !== 'VERIFY_EMAIL')) {
    note('required actions are not carried over');
  }
}
