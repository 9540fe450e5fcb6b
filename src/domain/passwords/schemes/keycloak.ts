import {
  countField,
  fieldsOf,
  isJsonObject,
  parseJson,
  textField,
  wordField,
  type JsonFields,
} from '../primitives/read-json.js';
import { wholeNumber } from '../primitives/read-parts.js';
import { argon2 } from './argon2.js';
import { HashRejected, type PasswordScheme } from './password-scheme.js';
import { pbkdf2 } from './pbkdf2.js';

/**
 * A password of a realm export of Keycloak, JSON with `credentialData` and `secretData`, each JSON text in its turn.
 * It says the same as the forms `$pbkdf2-…$` and `$argon2id$`, which a converter may write instead.
 */
const KNOWN = ['id', 'type', 'userLabel', 'createdDate', 'priority', 'temporary'];
const ALGORITHMS = ['pbkdf2', 'pbkdf2-sha256', 'pbkdf2-sha512', 'argon2'] as const;
const ARGON2_FIELDS = ['hashLength', 'memory', 'type', 'version', 'parallelism'];

/** The modular form of a credential; its bounds are for the scheme of that form to check. Throws HashRejected. */
function encodeKeycloakCredential(json: string): string {
  const credential = parseJson(json, 'the credential', [...KNOWN, 'credentialData', 'secretData']);
  const how = inner(credential, 'credentialData', ['hashIterations', 'algorithm', 'additionalParameters']);
  const secret = inner(credential, 'secretData', ['value', 'salt', 'additionalParameters']);
  const algorithm = wordField(how, 'algorithm', 'credentialData', ALGORITHMS);
  const iterations = countField(how, 'hashIterations', 'credentialData');
  const salt = textField(secret, 'salt', 'secretData');
  const hash = textField(secret, 'value', 'secretData');
  if (algorithm !== 'argon2') return `$${algorithm}$${iterations}$${salt}$${hash}`;
  const path = 'credentialData.additionalParameters';
  const parameters = fieldsOf(how['additionalParameters'], path, ARGON2_FIELDS);
  const variant = { id: 'argon2id', i: 'argon2i', d: 'argon2d' }[single(parameters, 'type')];
  if (single(parameters, 'version') !== '1.3') {
    throw new HashRejected('bad-version', 'only version 1.3 is known');
  }
  const memory = wholeNumber(single(parameters, 'memory'), `${path}.memory`);
  const lanes = wholeNumber(single(parameters, 'parallelism'), `${path}.parallelism`);
  const [bareSalt, bareHash] = [salt, hash].map((text) => text.replace(/={1,2}$/, ''));
  return `$${variant}$v=19$m=${memory},t=${iterations},p=${lanes}$${bareSalt}$${bareHash}`;
}

function inner(credential: JsonFields, name: string, known: readonly string[]): JsonFields {
  return parseJson(textField(credential, name, 'the credential'), name, known);
}

/** Keycloak writes each parameter as a list of one text. */
function single(parameters: JsonFields, name: string): string {
  const value = parameters[name];
  const [text] = Array.isArray(value) && value.length === 1 ? (value as unknown[]) : [];
  return typeof text === 'string' ? text : '';
}

export const keycloak: PasswordScheme = {
  name: 'keycloak',
  forms: ['JSON of Keycloak'],
  recognises: (encoded) => isJsonObject(encoded) && encoded.includes('"credentialData"'),
  read(encoded) {
    const modular = encodeKeycloakCredential(encoded);
    return modular.startsWith('$pbkdf2') ? pbkdf2.read(modular) : argon2.read(modular);
  },
};
