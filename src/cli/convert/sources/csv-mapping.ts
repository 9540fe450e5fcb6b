import {
  AMBIGUOUS_CODE,
  isAmbiguousCode,
  listOf,
  recoveryCodesOf,
} from '../../../domain/imports/formats/csv.js';
import { UsageError } from '../../shell/exit.js';
import { PROFILE_FIELDS, Unconvertible, type ConvertedHuman } from '../converted-human.js';
import type { CsvRow } from '../reading/csv-records.js';
import { asInstant, asList, asObject, asTotpSecret, asTruth, type JsonObject } from '../values.js';

/** What becomes of the cells of a column. */
interface Target {
  readonly field: string;
  readonly transforms: readonly Transform[];
}

type Value = string | boolean | readonly string[];
type Transform = (value: Value) => Value;

export interface Mapping {
  readonly columns: ReadonlyMap<string, readonly Target[]>;
  readonly constants: readonly (readonly [string, Value])[];
  readonly delimiter: string | undefined;
}

type Kind = 'text' | 'truth' | 'date' | 'secret' | 'codes' | 'list' | 'state' | 'gender';

/** Every field that a column may become; beside them `metadata.<key>`. */
const FIELDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['userId', 'text'],
  ['orgId', 'text'],
  ['state', 'state'],
  ['createdAt', 'date'],
  ['totpSecret', 'secret'],
  ['recoveryCodes', 'codes'],
  ['codeFactors', 'list'],
  ['userName', 'text'],
  ...PROFILE_FIELDS.map((field): [string, Kind] => [
    `profile.${field}`,
    field === 'gender' ? 'gender' : 'text',
  ]),
  ['email.email', 'text'],
  ['email.isEmailVerified', 'truth'],
  ['phone.phone', 'text'],
  ['phone.isPhoneVerified', 'truth'],
  ['password', 'text'],
  ['passwordChangeRequired', 'truth'],
  ['hashedPassword.value', 'text'],
]);

const METADATA = 'metadata.';

/** Reads a mapping; whatever it has beside what is known is an error that names it. Throws UsageError. */
export function readMapping(content: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    throw new UsageError(`the mapping is no valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const mapping = asObject(json);
  const columns = asObject(mapping?.['columns']);
  if (mapping === undefined || columns === undefined) throw new UsageError('the mapping has no "columns"');
  refuseOthers(mapping, ['columns', 'constants', 'delimiter'], 'the mapping');
  const { delimiter } = mapping;
  if (delimiter !== undefined && typeof delimiter !== 'string')
    throw new UsageError('"delimiter" must be text');
  const targets = new Map(
    Object.entries(columns).map(([name, value]) => [
      name,
      (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => readTarget(name, one)),
    ]),
  );
  const constants = Object.entries(asObject(mapping['constants']) ?? {}).map(([field, value]) => {
    requireField(field, 'constants');
    if (typeof value !== 'string' && typeof value !== 'boolean') {
      throw new UsageError(`the constant "${field}" must be text, true or false`);
    }
    return [field, value] as const;
  });
  requireOnce([
    ...[...targets.values()].flat().map(({ field }) => field),
    ...constants.map(([field]) => field),
  ]);
  return { columns: targets, constants, delimiter };
}

function readTarget(column: string, value: unknown): Target {
  if (typeof value === 'string') return { field: requireField(value, column), transforms: [] };
  const target = asObject(value);
  if (target === undefined || typeof target['field'] !== 'string') {
    throw new UsageError(`column "${column}" must map to a field, or to {"field", "transforms"}`);
  }
  refuseOthers(target, ['field', 'transforms'], `column "${column}"`);
  return {
    field: requireField(target['field'], column),
    transforms: asList(target['transforms']).map((transform) => readTransform(column, transform)),
  };
}

const SIMPLE = new Map<unknown, Transform>([
  ['trim', onText((text) => text.trim())],
  ['lower', onText((text) => text.toLowerCase())],
  ['upper', onText((text) => text.toUpperCase())],
  ['bool', toTruth],
  ['date', onText(toDate)],
]);

function readTransform(column: string, given: unknown): Transform {
  const simple = SIMPLE.get(given);
  if (simple !== undefined) return simple;
  const { split, part, ...others } = asObject(given) ?? {};
  if (typeof split === 'string' && split !== '' && Object.keys(others).length === 0) {
    if (part === undefined) return onText((text) => text.split(split));
    if (part === 'first') return onText((text) => text.split(split)[0] ?? '');
    if (part === 'rest') return onText((text) => text.split(split).slice(1).join(split));
    if (typeof part === 'number' && Number.isInteger(part) && part >= 0) {
      return onText((text) => text.split(split)[part] ?? '');
    }
  }
  throw new UsageError(
    `column "${column}": a transform is trim, lower, upper, bool, date, ` +
      '{"split": "…"} for a list or {"split": "…", "part": "first" | "rest" | 0}',
  );
}

function onText(change: (text: string) => Value): Transform {
  return (value) => (typeof value === 'string' ? change(value) : value);
}

function toTruth(value: Value): Value {
  const truth = asTruth(value);
  if (truth === undefined && value !== '')
    throw new Unconvertible('a cell to be read as bool is neither true nor false');
  return truth ?? '';
}

function toDate(text: string): Value {
  const instant = asInstant(text);
  if (instant === undefined && text.trim() !== '') {
    throw new Unconvertible('a cell to be read as date is none of ISO 8601 and no Unix time');
  }
  return instant ?? '';
}

function requireField(field: string, where: string): string {
  const isMetadata = field.startsWith(METADATA) && field.length > METADATA.length;
  if (isMetadata || FIELDS.has(field)) return field;
  const known = [...FIELDS.keys(), 'metadata.<key>'].join(', ');
  throw new UsageError(`"${where}" maps to the unknown field "${field}"; there are ${known}`);
}

function requireOnce(fields: readonly string[]): void {
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) throw new UsageError(`the mapping gives the field "${twice}" twice`);
}

function refuseOthers(object: JsonObject, known: readonly string[], what: string): void {
  const other = Object.keys(object).find((name) => !known.includes(name));
  if (other !== undefined) throw new UsageError(`${what} has the unknown field "${other}"`);
}

/** The user of a row; throws Unconvertible. What a row lacks is found by the check that all records pass. */
export function humanOfRow(mapping: Mapping, row: CsvRow): ConvertedHuman {
  const human: Record<string, unknown> = { profile: {} };
  for (const [field, value] of mapping.constants) place(human, field, value);
  for (const [column, targets] of mapping.columns) {
    const cell = row[column];
    if (cell === undefined || cell === '') continue;
    for (const { field, transforms } of targets) {
      place(
        human,
        field,
        transforms.reduce<Value>((value, transform) => transform(value), cell),
      );
    }
  }
  // what is missing or of the wrong shape is refused by the reader of records
  return human as unknown as ConvertedHuman;
}

function place(human: Record<string, unknown>, field: string, value: Value): void {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return;
  if (field.startsWith(METADATA)) {
    const metadata = (human['metadata'] ??= Object.create(null)) as Record<string, string>;
    metadata[field.slice(METADATA.length)] = typeof value === 'string' ? value : JSON.stringify(value);
    return;
  }
  const [outer = '', inner] = field.split('.');
  const read = readField(field, value);
  if (inner === undefined) human[outer] = read;
  else ((human[outer] ??= {}) as Record<string, unknown>)[inner] = read;
}

const STATES = new Set(['active', 'inactive', 'locked']);

function readField(field: string, value: Value): unknown {
  const kind = FIELDS.get(field) ?? 'text';
  if (kind === 'codes' || kind === 'list') {
    if (typeof value === 'boolean') refuse(field);
    const list = typeof value === 'string' ? listOf(value) : value;
    if (kind === 'list') return list;
    if (list.some(isAmbiguousCode)) throw new Unconvertible(AMBIGUOUS_CODE);
    return recoveryCodesOf(list);
  }
  if (Array.isArray(value)) throw new Unconvertible(`${field} cannot hold a list`);
  switch (kind) {
    case 'truth':
      return toTruth(value);
    case 'date':
      return typeof value === 'string' ? toDate(value) : refuse(field);
    case 'secret':
      return asTotpSecret(value) ?? refuse(field);
    case 'state':
      if (typeof value === 'boolean') return value ? 'active' : 'inactive';
      return STATES.has(String(value)) ? value : refuse(field);
    case 'gender':
      return typeof value === 'string' && value !== '' ? genderOf(value) : undefined;
    case 'text':
      return String(value);
  }
}

function genderOf(text: string): string {
  const name = text.trim().toUpperCase();
  return name.startsWith('GENDER_') ? name : `GENDER_${name}`;
}

function refuse(field: string): never {
  throw new Unconvertible(`the cell for ${field} is not what the field takes`);
}
