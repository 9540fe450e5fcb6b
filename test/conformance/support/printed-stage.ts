import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMailbox, type Mailbox } from '../../../scripts/mailbox.mjs';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { Program } from '../../browser/support/program.js';
import type { Credentials } from '../../browser/support/stage.js';
import { cloneDatabase } from '../../support/databases.js';
import { randomPrefix, redisUrl } from '../../support/redis.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** What `npm start` leaves behind: API, worker and mailbox of the build, and a folder with `.data/credentials.json`. */
export class PrintedStage {
  private constructor(
    readonly folder: string,
    readonly credentials: Credentials,
    readonly mailbox: Mailbox,
    private readonly steps: (() => Promise<void>)[],
  ) {}

  static async build(): Promise<PrintedStage> {
    const steps: (() => Promise<void>)[] = [];
    try {
      const database = await cloneDatabase();
      steps.push(() => database.drop());
      const mailbox = await startMailbox();
      steps.push(() => mailbox.stop());
      const folder = await mkdtemp(path.join(tmpdir(), 'identity-printed-'));
      steps.push(() => rm(folder, { recursive: true, force: true }));
      await mkdir(path.join(folder, '.data'));
      await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));

      const port = await anyFreePort();
      const variables = {
        DATABASE_URL: database.serviceUrl,
        REDIS_URL: redisUrl(),
        QUEUE_PREFIX: randomPrefix(),
        PUBLIC_URL: `http://localhost:${port}`,
        PORT: String(port),
        OPS_PORT: '0',
        SMTP_URL: mailbox.smtpUrl,
      };
      const file = path.join(folder, '.data/credentials.json');
      await Program.run('src/cli/bootstrap', variables, [
        '--credentials',
        file,
        '--mailbox-url',
        mailbox.url,
      ]);
      const programs = ['src/main', 'workers/main'].map((name) => {
        const program = Program.start(name, variables);
        steps.push(() => program.stop());
        return program;
      });
      await Promise.all(programs.map((program) => program.untilReady()));
      const credentials = JSON.parse(await readFile(file, 'utf8')) as Credentials;
      return new PrintedStage(folder, credentials, mailbox, steps);
    } catch (error) {
      await tearDown(steps);
      throw error;
    }
  }

  async tearDown(): Promise<void> {
    await tearDown(this.steps);
  }
}

async function tearDown(steps: (() => Promise<void>)[]): Promise<void> {
  for (const step of steps.splice(0).toReversed()) await step();
}
