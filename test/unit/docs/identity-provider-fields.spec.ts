import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  PROVIDER_SETTINGS,
  providerTermsSchema,
} from '../../../src/domain/identity-providers/identity-provider.js';
import { bodyFields } from '../../../src/http/shared/schemas/domain-fields.js';
import {
  identityProviderAnswer,
  newIdentityProviderBody,
} from '../../../src/http/shared/schemas/identity-provider.schemas.js';
import { jsonSchema } from '../../../src/http/shared/schemas/json-schema.js';
import { columnNames } from '../../../src/storage/postgres/table.js';
import { IdentityProviderEntity } from '../../../src/storage/postgres/tables/identity-provider.entity.js';

// docs/development.md says in which files a field of an identity provider stands: one that only the schema has is in the API
// and, if all kinds have it, in the table. docs/identity-providers.md explains each.

const settings = Object.entries(PROVIDER_SETTINGS).flatMap(([kind, { shape }]) =>
  Object.entries(bodyFields(shape)).map(([name, field]) => ({ kind, name, field })),
);
const terms = Object.keys(providerTermsSchema.shape);
const taken = jsonSchema(newIdentityProviderBody, 'input').properties ?? {};
const answered = jsonSchema(identityProviderAnswer, 'output').properties ?? {};

describe('a field of an identity provider', () => {
  it('is taken and answered by the API as soon as the schema has it', () => {
    const fields = [...terms, ...settings.map(({ name }) => name)];
    expect(fields.length).toBeGreaterThan(60);
    expect(fields.filter((field) => !Object.hasOwn(taken, field))).toEqual([]);
    expect(fields.filter((field) => !Object.hasOwn(answered, field))).toEqual([]);
  });

  it('is a column where all kinds have it', () => {
    const columns = columnNames(IdentityProviderEntity);
    expect(terms.filter((field) => !columns.has(field))).toEqual([]);
  });

  it('has one rule in all kinds that have it, because a body is checked before its kind is known', () => {
    const rules = new Map<string, object>();
    for (const { kind, name, field } of settings) {
      const { description: _, ...rule } = jsonSchema(field, 'input');
      expect(rule, `${name} of ${kind}`).toEqual(rules.get(name) ?? rule);
      rules.set(name, rule);
    }
  });

  it('is explained in docs/identity-providers.md', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../../docs/identity-providers.md'), 'utf8');
    expect(Object.keys(taken).filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});
