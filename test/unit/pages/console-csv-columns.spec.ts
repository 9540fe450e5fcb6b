import { expect, it } from 'vitest';
import { COLUMN_NAMES, fieldOfColumn } from '../../../console/src/imports/csv-columns.js';
import { readCsvHeader } from '../../../src/domain/imports/formats/csv-columns.js';
import { profileFields } from '../../../src/domain/imports/records/human-profile.js';

// The console shows how the columns of a file are understood before it is sent: as the service does.

function pathOf(name: string): string | undefined {
  try {
    return readCsvHeader([name])[0]?.path.join('.');
  } catch {
    return undefined;
  }
}

it.each(COLUMN_NAMES)('%s is %s', (name, field) => {
  expect(pathOf(name)).toBe(field);
  const other = ` ${name.toUpperCase().replaceAll('_', ' ')} `;
  expect([fieldOfColumn(name), fieldOfColumn(other), pathOf(other)]).toEqual([field, field, field]);
});

it('knows every field of a profile', () => {
  for (const field of Object.keys(profileFields).filter((name) => name !== 'address')) {
    expect(fieldOfColumn(`profile.${field}`)).toBe(`profile.${field}`);
  }
});

it('takes any metadata, and nothing that it does not know', () => {
  expect(fieldOfColumn('metadata.cost-centre')).toBe('metadata.cost-centre');
  for (const name of ['firstnam', 'profile', '', 'userId;email']) {
    expect([name, fieldOfColumn(name)]).toEqual([name, pathOf(name)]);
  }
});
