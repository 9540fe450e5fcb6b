import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { OutputFile } from '../../../src/cli/files/output-file.js';
import { inDirectory } from './support/run-cli.js';

const run = promisify(execFile);

describe('a file that is given up', () => {
  it('leaves nothing behind, although it is being opened still', async () => {
    await inDirectory(async (directory) => {
      const draft = path.join(directory, 'users.ndjson.partial');
      // opening one takes until somebody reads
      await run('mkfifo', [draft]);
      let isOver = false;
      const abandoned = OutputFile.at(path.join(directory, 'users.ndjson'))
        .abandon()
        .then(() => (isOver = true));
      await sleep(100);
      expect(isOver).toBe(false);
      const reader = await open(draft, constants.O_RDONLY | constants.O_NONBLOCK);
      await abandoned;
      await reader.close();
      expect(await readdir(directory)).toEqual([]);
    });
  });

  it('may be one that could never be written', async () => {
    await inDirectory(async (directory) => {
      const file = OutputFile.at(path.join(directory, 'no-such-folder', 'users.ndjson'));
      await file.write('one');
      await expect(file.finish()).rejects.toThrow('cannot write');
      await file.abandon();
      expect(await readdir(directory)).toEqual([]);
    });
  });
});
