import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { masterKeyFile, SettingError } from '../../../scripts/local-settings.mjs';
import { createPrivateFile, openPrivateLog, writePrivateFile } from '../../../scripts/private-file.mjs';

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

describe('S202: files of the local start that hold secrets', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'local-start-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('are their owner’s alone under any umask, and follow no link', () => {
    const file = path.join(folder, 'local.env');
    const victim = path.join(folder, 'victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, file);
    symlinkSync(victim, `${file}.new`);
    const before = process.umask(0);
    try {
      writePrivateFile(file, 'secret');
    } finally {
      process.umask(before);
    }
    expect(lstatSync(file).isFile()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(() => {
      createPrivateFile(file, 'again');
    }).toThrow('EEXIST');
    const log = path.join(folder, 'api.log');
    symlinkSync(victim, log);
    expect(() => openPrivateLog(log)).toThrow('ELOOP');
    expect(readdirSync(folder).sort()).toEqual(['api.log', 'local.env', 'victim']);
  });
});
