import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterKeyFile, SettingError } from '../../../scripts/local-settings.mjs';

describe('the master key of the local start', () => {
  let data: string;
  let file: string;

  beforeEach(() => {
    data = mkdtempSync(path.join(tmpdir(), 'local-start-'));
    file = path.join(data, 'master.key');
  });

  afterEach(() => {
    rmSync(data, { recursive: true, force: true });
  });

  it('is made once, for its owner alone', () => {
    expect(masterKeyFile(data, {})).toBe(file);
    const key = readFileSync(file, 'utf8');
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    masterKeyFile(data, {});
    expect(readFileSync(file, 'utf8')).toBe(key);
    expect(readdirSync(data)).toEqual(['master.key']);
  });

  it('is made anew when a start was killed while writing it', () => {
    writeFileSync(`${file}.new`, '');
    masterKeyFile(data, {});
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32);
    expect(readdirSync(data)).toEqual(['master.key']);
  });

  it('is asked for when its file is empty, since data may be sealed with the lost one', () => {
    writeFileSync(file, '');
    expect(() => masterKeyFile(data, {})).toThrow(SettingError);
  });

  it('is not made when the environment has one', () => {
    expect(masterKeyFile(data, { MASTER_KEY: 'x' })).toBeUndefined();
    expect(readdirSync(data)).toEqual([]);
  });
});
