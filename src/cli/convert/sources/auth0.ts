import { Command } from '@commander-js/extra-typings';
import { emailVerifiedOption } from '../../shell/options.js';
import { Unconvertible, type ConvertedHuman, type Note } from '../converted-human.js';
import { idpOption, ProviderLinks } from '../provider-links.js';
import { Auth0Passwords } from '../reading/auth0-passwords.js';
import { jsonRecords } from '../reading/json-records.js';
import { source } from '../source.js';
import {
  addMetadata,
  addPhone,
  asForeignId,
  asInstant,
  asList,
  asObject,
  asText,
  asTotpSecret,
  asTruth,
  baseLanguage,
  defined,
  namesOf,
  requireEmail,
  requireObject,
  type JsonObject,
} from '../values.js';
import { databaseIdentityOf, linksOf, signsInByCodes } from './auth0-links.js';

/** Users whose password Auth0 keeps; any other strategy signs in elsewhere. */
const DATABASE = 'auth0|';
/** In front of the keys of what only administrators set. */
const OF_ADMINISTRATORS = 'app_metadata.';

export const auth0 = source({
  name: 'auth0',
  summary: 'Convert users exported from Auth0, with the password hashes from Auth0 support',
  description:
    'Carried over: id, names, e-mail, phone, picture, language, creation date, blocked, user_metadata and ' +
    'app_metadata, a TOTP secret if the file has one, the bcrypt hash from --passwords, and links to the social and ' +
    'enterprise connections that --idp names. Not carried over and counted in the summary: other such links, other second factors. ' +
    'Roles and organizations are not part of the export.',
  options: new Command()
    .requiredOption(
      '--users <file>',
      'users: the export job, the export extension (NDJSON) or a JSON list; - is standard input',
    )
    .option(
      '--passwords <file>',
      'password hashes (NDJSON) exported by Auth0 support; matched by id, else by e-mail',
    )
    .addOption(
      idpOption('the name of the connection, or what user_id begins with where the export has no identities'),
    )
    .addOption(
      emailVerifiedOption('marks every e-mail address as verified or unverified (default: as in the export)'),
    ),
  examples: [
    'identity convert auth0 --users users.json --passwords passwords.json --output users.ndjson',
    'identity convert auth0 --users users.json --idp google-oauth2=283746520198471234 --output users.ndjson',
    'identity convert auth0 --users users.json.gz --format dataorgs --org 283746520198471234 --output importBody.json',
  ],

  async open(given, open) {
    const passwords =
      given.passwords === undefined
        ? undefined
        : await Auth0Passwords.open(given.passwords, open(given.passwords));
    const links = new ProviderLinks(given.idp);
    return {
      records: () => jsonRecords(open(given.users), 'users', given.users),
      convert: (value, note) => {
        const user = requireObject(value);
        const human = convert(user, given.emailVerified, passwords, note);
        links.addTo(human, linksOf(user, human), note);
        return human;
      },
      remarks: () => links.remarks(),
      close: async () => passwords?.close(),
    };
  },
});

function convert(
  user: JsonObject,
  emailVerified: boolean | undefined,
  passwords: Auth0Passwords | undefined,
  note: Note,
): ConvertedHuman {
  // the export extension writes names for people
  const userId = asText(user['user_id'] ?? user['Id']);
  const email = requireEmail(user['email'] ?? user['Email']);
  const userName = asText(user['username'] ?? user['Username']) ?? email;
  const name = asText(user['name'] ?? user['Name']);
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({
      userId,
      state: asTruth(user['blocked']) === true ? 'inactive' : undefined,
      createdAt: asInstant(user['created_at'] ?? user['Created At']),
      totpSecret: totpSecretOf(user, note),
    }),
    userName,
    profile: {
      ...namesOf(
        asText(user['given_name'] ?? user['Given Name']),
        asText(user['family_name'] ?? user['Family Name']),
        name ?? userName,
      ),
      ...defined({
        nickName: asText(user['nickname'] ?? user['Nickname']),
        displayName: name,
        preferredLanguage: baseLanguage(user['locale'] ?? user['Locale']),
        picture: asText(user['picture'] ?? user['Picture']),
      }),
    },
    email: emailOf(email, emailVerified ?? asTruth(user['email_verified'] ?? user['Email Verified'])),
  };
  addPhone(human, user['phone_number'], asTruth(user['phone_verified']), note);
  const hash = hashOf(user, userId, email, passwords, note);
  if (hash !== undefined) human.hashedPassword = { value: hash };
  addOwnMetadata(human, asObject(user['user_metadata']) ?? {}, note);
  for (const [key, value] of Object.entries(asObject(user['app_metadata']) ?? {})) {
    addMetadata(human, `${OF_ADMINISTRATORS}${key}`, value);
  }
  return human;
}

/** Users write it themselves: none of it may pass for what an administrator said of them. */
function addOwnMetadata(human: ConvertedHuman, own: JsonObject, note: Note): void {
  for (const [key, value] of Object.entries(own)) {
    if (key.startsWith(OF_ADMINISTRATORS)) {
      note(`a key of user_metadata that begins with "${OF_ADMINISTRATORS}": left out`);
    } else if (addMetadata(human, key, value) === 'taken') {
      note(`user_metadata "phone_number", left out: the phone number has its place`);
    }
  }
}

function emailOf(email: string, verified: boolean | undefined): ConvertedHuman['email'] {
  return { email, ...(verified === true && { isEmailVerified: true }) };
}

/**
 * A hash is the user's only if an id says so: their own, or else that of their identity in a database of Auth0. An e-mail
 * address decides where the export has no such id, and never for whoever signs in elsewhere: they may share it with
 * another person's password.
 */
function hashOf(
  user: JsonObject,
  userId: string | undefined,
  email: string,
  passwords: Auth0Passwords | undefined,
  note: Note,
): string | undefined {
  if (userId !== undefined && !userId.startsWith(DATABASE)) {
    if (signsInByCodes(userId)) note('signs in by codes that Auth0 sends: has no password and sets one');
    return undefined;
  }
  // of a file made for Auth0's own import, which has hashes of other schemes in a form of its own
  const custom = asObject(user['custom_password_hash']);
  if (custom !== undefined) return JSON.stringify(custom);
  const own = asText(user['password_hash'] ?? user['passwordHash']);
  if (own !== undefined || passwords === undefined) return own;
  const database = databaseIdentityOf(user);
  if (userId === undefined && database === undefined) {
    note('no user_id, nor an identity of the provider auth0: gets no password by the address alone');
    return undefined;
  }
  const id = userId?.slice(DATABASE.length) ?? asForeignId(database?.['user_id']);
  const byId = id && (passwords.byId(id) ?? passwords.byId(id.slice(id.lastIndexOf('|') + 1)));
  if (byId !== undefined) return byId;
  const [byEmail, ...others] = passwords.byEmail(email, id !== undefined);
  if (others.length > 0) {
    throw new Unconvertible(
      'the passwords have several entries for its e-mail address: export user_id with the users',
    );
  }
  if (byEmail === undefined) note('no entry in the passwords file: the user sets a new password');
  return byEmail;
}

function totpSecretOf(user: JsonObject, note: Note): string | undefined {
  let secret: string | undefined;
  for (const factor of asList(user['mfa_factors'])) {
    secret ??= asTotpSecret(asObject(asObject(factor)?.['totp'])?.['secret']);
  }
  const hasOthers = asList(user['mfa_factors']).length > 1 || asList(user['multifactor']).length > 0;
  if (hasOthers || (secret === undefined && asList(user['mfa_factors']).length > 0)) {
    note('a second factor that cannot be carried over');
  }
  return secret;
}
