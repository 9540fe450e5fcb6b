import { Command, Option } from '@commander-js/extra-typings';
import { emailVerifiedOption } from '../../shell/options.js';
import { type ConvertedHuman, type Note } from '../converted-human.js';
import { idpOption, ProviderLinks, type SourceLink } from '../provider-links.js';
import { csvRecords } from '../reading/csv-records.js';
import { jsonElements } from '../reading/json-elements.js';
import { source } from '../source.js';
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

/** Attributes that have a field here; every other becomes metadata under its own name. */
const KNOWN = new Set(
  [
    'sub',
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
  ]
    .concat([
      'website',
      'email',
      'email_verified',
      'gender',
      'birthdate',
      'zoneinfo',
      'locale',
      'phone_number',
    ])
    .concat([
      'phone_number_verified',
      'updated_at',
      'cognito:username',
      'cognito:mfa_enabled',
      'cognito:user_status',
    ])
    .concat(['enabled', 'user_status', 'created_at', 'identities']),
);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GENDERS = new Map([
  ['female', 'GENDER_FEMALE'],
  ['male', 'GENDER_MALE'],
] as const);

export const cognito = source({
  name: 'cognito',
  summary: 'Convert users of an Amazon Cognito user pool',
  description:
    'Reads CSV with the header of the pool (aws cognito-idp get-csv-header) or the JSON of aws cognito-idp list-users. ' +
    'Carried over: id, user name, the standard attributes, disabled, creation date; custom attributes become metadata; links to the providers that ' +
    '--idp names, while others are counted in the summary. ' +
    'Cognito exports neither password hashes nor second factors: users set a new password.',
  options: new Command()
    .requiredOption('--users <file>', 'the CSV or JSON file; - is standard input')
    .addOption(
      new Option('--input-format <format>', 'format of the file (default: by its name)').choices([
        'csv',
        'json',
      ]),
    )
    .addOption(idpOption('the name of the provider in the pool'))
    .addOption(
      emailVerifiedOption('marks every e-mail address as verified or unverified (default: as in the export)'),
    ),
  examples: [
    'aws cognito-idp list-users --user-pool-id eu-central-1_abc > users.json',
    'identity convert cognito --users users.json --output users.ndjson',
    'identity convert cognito --users users.json --idp Google=283746520198471234 --output users.ndjson',
    'identity convert cognito --users users.csv --format dataorgs --org 283746520198471234 --output importBody.json',
  ],

  async open(given, open) {
    const isJson = (given.inputFormat ?? (/\.json(?:\.gz)?$/i.test(given.users) ? 'json' : 'csv')) === 'json';
    const links = new ProviderLinks(given.idp);
    return {
      records: () =>
        isJson
          ? jsonElements(open(given.users), 'Users', given.users)
          : csvRecords(open(given.users), { oneOf: ['cognito:username', 'email'] }),
      convert: (value, note) => {
        const object = requireObject(value);
        const user = isJson ? attributesOf(object) : object;
        const human = convert(user, given.emailVerified, note);
        links.addTo(human, linksOf(user, note), note);
        return human;
      },
      remarks: () => links.remarks(),
    };
  },
});

/** An element of list-users by the names of the CSV. */
function attributesOf(user: JsonObject): JsonObject {
  const attributes = asList(user['Attributes'] ?? user['UserAttributes']).map(asObject);
  return {
    ...Object.fromEntries(
      attributes.map((attribute) => [asText(attribute?.['Name']) ?? '', attribute?.['Value']]),
    ),
    'cognito:username': user['Username'],
    'cognito:mfa_enabled': asList(user['MFAOptions']).length > 0,
    enabled: user['Enabled'],
    created_at: user['UserCreateDate'],
  };
}

function convert(user: JsonObject, emailVerified: boolean | undefined, note: Note): ConvertedHuman {
  const email = requireEmail(user['email']);
  const given = asText(user['cognito:username']);
  // where the pool signs in by e-mail the user name is an id, with which nobody ever signed in
  const isId = given === undefined || UUID.test(given);
  const preferred = asText(user['preferred_username']);
  const userName = isId ? email : given;
  const name = asText(user['name']);
  const gender = asText(user['gender']);
  const known = GENDERS.get(gender?.toLowerCase() as 'female' | 'male');
  const human: ConvertedHuman = {
    ...defined<ConvertedHuman>({
      userId: asText(user['sub']) ?? (isId ? given : undefined),
      state: asTruth(user['enabled']) === false ? 'inactive' : undefined,
      createdAt: asInstant(user['created_at']),
    }),
    userName,
    profile: {
      ...namesOf(asText(user['given_name']), asText(user['family_name']), name ?? userName),
      ...defined({
        // users write it themselves: as a name to sign in with it could be somebody else's address
        nickName: asText(user['nickname']) ?? preferred,
        displayName: name,
        preferredLanguage: asLanguage(user['locale']),
        gender: known,
        middleName: asText(user['middle_name']),
        profile: asText(user['profile']),
        picture: asText(user['picture']),
        website: asText(user['website']),
        birthdate: asText(user['birthdate']),
        zoneinfo: asText(user['zoneinfo']),
      }),
    },
    email: {
      email,
      ...((emailVerified ?? asTruth(user['email_verified'])) === true && { isEmailVerified: true }),
    },
  };
  addPhone(human, user['phone_number'], asTruth(user['phone_number_verified']), note);
  if (asText(user['nickname']) !== undefined) addMetadata(human, 'preferred_username', preferred);
  if (known === undefined) addMetadata(human, 'gender', gender);
  for (const [name, value] of Object.entries(user))
    if (!KNOWN.has(name)) addMetadata(human, name, asText(value));
  if (asTruth(user['cognito:mfa_enabled']) === true) note('a second factor that cannot be carried over');
  return human;
}

/** The attribute is a list as JSON text. */
function linksOf(user: JsonObject, note: Note): readonly SourceLink[] {
  const text = asText(user['identities']);
  if (text === undefined) return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list)) {
    note('links to providers that cannot be read (the attribute identities is not a list as JSON)');
    return [];
  }
  return list.map((one) => {
    const link = asObject(one) ?? {};
    return { alias: asText(link['providerName']), subject: asForeignId(link['userId']) };
  });
}
