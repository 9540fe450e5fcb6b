import { execFile } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialsFile } from '../../../src/cli/credentials-file.js';
import { OutputFile } from '../../../src/cli/files/output-file.js';
import { LinkFile } from '../../../src/cli/link-file.js';
import { TokenFile } from '../../../src/cli/token-file.js';
import { fixture, identity, inDirectory } from './support/run-cli.js';

const run = promisify(execFile);
const KEEP = { replace: false };
const REPLACE = { replace: true };
const AUTH0 = [
  'auth0',
  '--users',
  fixture('auth0/users.ndjson'),
  '--passwords',
  fixture('auth0/passwords.ndjson'),
];

async function written(file: string, text: string, replacing = KEEP): Promise<void> {
  const output = await OutputFile.at(file, replacing);
  try {
    await output.write(text);
    await output.finish();
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

/** A folder with a place for the output, and a file of somebody else's that must stay as it is. */
async function inFolder(
  work: (place: {
    directory: string;
    file: string;
    victim: string;
    expectVictim: () => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await inDirectory(async (directory) => {
    const folder = path.join(directory, 'out');
    await mkdir(folder);
    const victim = path.join(directory, 'victim');
    await writeFile(victim, 'untouched', { mode: 0o644 });
    await work({
      directory: folder,
      file: path.join(folder, 'users.ndjson'),
      victim,
      expectVictim: async () => {
        expect(await readFile(victim, 'utf8')).toBe('untouched');
        expect((await stat(victim)).mode & 0o777).toBe(0o644);
      },
    });
  });
}

describe('S202: a file that a command writes', () => {
  it.each([0o000, 0o022, 0o777])('is its owner’s alone under a umask of %i', async (mask) => {
    await inFolder(async ({ directory, file }) => {
      const before = process.umask(mask);
      try {
        const output = await OutputFile.at(file, KEEP);
        expect((await lstat(`${file}.partial`)).mode & 0o777).toBe(0o600);
        await output.write('secret');
        await output.finish();
      } finally {
        process.umask(before);
      }
      expect((await lstat(file)).mode & 0o777).toBe(0o600);
      expect(await readdir(directory)).toEqual(['users.ndjson']);
    });
  });

  it.each(['to a file', 'to nothing'])(
    'follows no link %s, under either name, with --force or without',
    async (to) => {
      await inFolder(async ({ directory, file, victim, expectVictim }) => {
        const target = to === 'to a file' ? victim : path.join(directory, 'not-there');
        await symlink(target, `${file}.partial`);
        await expect(written(file, 'secret')).rejects.toThrow('users.ndjson.partial is there');
        expect((await lstat(`${file}.partial`)).isSymbolicLink()).toBe(true);
        await written(file, 'secret', REPLACE);
        expect((await lstat(file)).isFile()).toBe(true);
        await unlink(file);
        await symlink(target, file);
        for (const replacing of [KEEP, REPLACE]) {
          await expect(written(file, 'secret', replacing)).rejects.toThrow(
            `cannot write ${file}: it is a symbolic link`,
          );
        }
        expect(await readdir(directory)).toEqual(['users.ndjson']);
        await expectVictim();
      });
    },
  );

  it('is not opened where somebody prepared one to read along, but replaced with --force', async () => {
    await inFolder(async ({ directory, file }) => {
      // readable by all, and held open by whoever made it
      await writeFile(`${file}.partial`, '', { mode: 0o666 });
      await chmod(`${file}.partial`, 0o666);
      await expect(written(file, 'secret')).rejects.toThrow('another run writes it, or one was killed');
      expect(await readFile(`${file}.partial`, 'utf8')).toBe('');
      await written(file, 'secret', REPLACE);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      // a FIFO, of which the writer would be read
      await run('mkfifo', [`${file}.partial`]);
      await expect(written(file, 'secret', KEEP)).rejects.toThrow('cannot write');
      await unlink(file);
      await expect(written(file, 'secret', KEEP)).rejects.toThrow('users.ndjson.partial is there');
      await unlink(`${file}.partial`);
      await run('mkfifo', [file]);
      await expect(written(file, 'secret', REPLACE)).rejects.toThrow('no regular file');
      expect(await readdir(directory)).toEqual(['users.ndjson']);
    });
  });

  it('takes nobody’s place unasked, nor that of what came while it was written', async () => {
    await inFolder(async ({ directory, file, victim, expectVictim }) => {
      await writeFile(file, 'mine');
      await expect(written(file, 'secret')).rejects.toThrow('it is there already: name another file, or');
      expect(await readFile(file, 'utf8')).toBe('mine');
      await written(file, 'new', REPLACE);
      expect(await readFile(file, 'utf8')).toBe('new');
      await unlink(file);
      for (const plant of [
        () => writeFile(file, 'mine'),
        () => symlink(victim, file),
        () => link(victim, file),
      ]) {
        const output = await OutputFile.at(file, KEEP);
        await output.write('secret');
        await plant();
        await expect(output.finish()).rejects.toThrow('cannot write');
        await output.abandon();
        expect(await readdir(directory)).toEqual(['users.ndjson']);
        await unlink(file);
      }
      await expectVictim();
    });
  });

  it('is one of two that are written at once', async () => {
    await inFolder(async ({ directory, file }) => {
      const results = await Promise.allSettled([0, 1, 2, 3].map((number) => written(file, `${number}`)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readdir(directory)).toEqual(['users.ndjson']);
    });
  });

  it('is not another’s that was put in its place, and leaves that alone', async () => {
    await inFolder(async ({ file }) => {
      const output = await OutputFile.at(file, KEEP);
      await output.write('secret');
      await unlink(`${file}.partial`);
      await writeFile(`${file}.partial`, 'forged');
      await expect(output.finish()).rejects.toThrow('another process replaced the file');
      await output.abandon();
      expect(await readFile(`${file}.partial`, 'utf8')).toBe('forged');
      await expect(lstat(file)).rejects.toThrow('ENOENT');
    });
  });

  it.runIf(process.platform === 'linux')('stays in its folder when another is put in its place', async () => {
    await inFolder(async ({ directory, file, expectVictim }) => {
      const output = await OutputFile.at(file, KEEP);
      await output.write('secret');
      const moved = `${directory}-moved`;
      await rename(directory, moved);
      const trap = `${directory}-trap`;
      await mkdir(trap);
      await symlink(trap, directory);
      await output.finish();
      expect(await readdir(trap)).toEqual([]);
      expect(await readFile(path.join(moved, 'users.ndjson'), 'utf8')).toBe('secret');
      await expectVictim();
    });
  });

  it('leaves nothing behind when it is given up, nor where it could never be written', async () => {
    await inFolder(async ({ directory, file }) => {
      const output = await OutputFile.at(file, KEEP);
      await output.write('secret');
      await output.abandon();
      expect(await readdir(directory)).toEqual([]);
      const nowhere = path.join(directory, 'no-such-folder', 'users.ndjson');
      await expect(OutputFile.at(nowhere, KEEP)).rejects.toThrow(
        `cannot write ${nowhere}: there is no such folder`,
      );
      expect(await readdir(directory)).toEqual([]);
    });
  });
});

describe('S202: identity convert', () => {
  it('refuses files that are there before it reads anything, and replaces them with --force', async () => {
    await inFolder(async ({ directory, file, victim, expectVictim }) => {
      const args = ['convert', ...AUTH0, '--output', file];
      await symlink(victim, `${file}.rejects`);
      const linked = await identity([...args, '--force']);
      expect(linked).toMatchObject({
        code: 1,
        err: `identity convert auth0: cannot write ${file}.rejects: it is a symbolic link, and none is followed\n`,
      });
      expect(await readdir(directory)).toEqual(['users.ndjson.rejects']);
      await unlink(`${file}.rejects`);
      expect((await identity([...args, '--lenient'])).code).toBe(0);
      const again = await identity(['convert', 'okta', '--users', '/nowhere', '--output', file]);
      expect(again.err).toContain('it is there already: name another file, or replace it with --force');
      expect((await identity([...args, '--lenient', '--force'])).code).toBe(0);
      expect((await readdir(directory)).sort()).toEqual(['users.ndjson', 'users.ndjson.rejects']);
      await expectVictim();
    });
  });
});

describe('S202: the credentials of a bootstrap', () => {
  const HELD = {
    admin: { loginName: 'admin@acme.test', password: 'Marker-Passw0rd!' },
  } as unknown as Parameters<CredentialsFile['write']>[0];
  const keeper = (file: string) =>
    new CredentialsFile(file, { issuer: 'http://localhost:8080', mailboxUrl: undefined });

  it('are their owner’s alone, replace their own file, and neither read nor write through a link', async () => {
    await inFolder(async ({ directory, victim, expectVictim }) => {
      const file = path.join(directory, 'credentials.json');
      const before = process.umask(0);
      try {
        await keeper(file).write(HELD);
        await chmod(file, 0o666);
        await keeper(file).write(HELD);
      } finally {
        process.umask(before);
      }
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await keeper(file).read()).toMatchObject({ adminPassword: 'Marker-Passw0rd!' });
      await unlink(file);
      await symlink(victim, file);
      await expect(keeper(file).read()).rejects.toThrow('it is a symbolic link');
      await expect(keeper(file).write(HELD)).rejects.toThrow('it is a symbolic link');
      expect(await readdir(directory)).toEqual(['credentials.json']);
      await expectVictim();
    });
  });
});

describe('a file of bootstrap that cannot be made', () => {
  const CREDENTIALS = {} as Parameters<CredentialsFile['write']>[0];
  const facts = { issuer: 'http://localhost:8080', mailboxUrl: undefined };

  it.each([
    ['BOOTSTRAP_SERVICE_USER_TOKEN_FILE', (file: string) => new TokenFile(file).write('pat_x')],
    ['BOOTSTRAP_ADMIN_LINK_FILE', (file: string) => new LinkFile(file).write('https://id.test/x')],
    ['--credentials', (file: string) => new CredentialsFile(file, facts).write(CREDENTIALS)],
  ])('is named as %s names it, and with it', async (namedBy, write) => {
    await expect(write('/sys/file')).rejects.toThrow(
      new RegExp(
        `^cannot use /sys/file \\(${namedBy}\\): (permission denied|the file system is read-only|there is no such folder)$`,
      ),
    );
  });
});
