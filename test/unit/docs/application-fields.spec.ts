import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applicationAnswer } from '../../../src/http/shared/schemas/application.schemas.js';
import { jsonSchema } from '../../../src/http/shared/schemas/json-schema.js';

// docs/applications.md has a row for each field of an application: one that no page explains is one nobody finds.

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/applications.md'), 'utf8');
const rows = page.split('\n').flatMap((line) => /^\| `(\w+)` /.exec(line)?.slice(1) ?? []);
const ANSWERED_ONLY = [
  'overruledSettings',
  'clientId',
  'allowedOrigins',
  'noneCompliant',
  'complianceProblems',
  'registration',
  'registrationExpirationDate',
  'allowedScopes',
];

describe('docs/applications.md', () => {
  const fields = Object.keys(
    jsonSchema(applicationAnswer, 'output').properties?.['oidcConfig']?.properties ?? {},
  );

  it('has one row for each field that can be set, and no other', () => {
    const settable = fields.filter((field) => !ANSWERED_ONLY.includes(field));
    expect(rows.toSorted()).toEqual(['name', ...settable].toSorted());
  });

  it('says which fields stand in answers alone', () => {
    for (const field of ANSWERED_ONLY.slice(1)) expect(page).toContain(`\`${field}\``);
  });
});
