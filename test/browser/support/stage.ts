import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startMailbox, type Mailbox, type MailboxMessage } from '../../../scripts/mailbox.mjs';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { launchChromium } from '../../support/chromium.js';
import { cloneDatabase, runAsAdmin, type TestDatabase } from '../../support/databases.js';
import { randomPrefix, redisUrl } from '../../support/redis.js';
import { eventually } from '../../workers/support/eventually.js';
import { Application, depart, redeem, type Departure, type Tokens } from './application.js';
import { Program } from './program.js';
import { keepScreenshots, removeScreenshots } from './screenshots.js';
import { Visitor, type VisitorOptions } from './visitor.js';

/** The file that bootstrap writes, as far as browsers need it. */
export interface Credentials {
  readonly issuer: string;
  readonly primaryDomain: string;
  readonly admin: { readonly loginName: string; readonly password: string };
  readonly serviceUser: { readonly pat: string };
  /** Of an instance owner. */
  readonly adminServiceUser: { readonly pat: string };
  readonly webApplication: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly redirectUri: string;
    readonly postLogoutRedirectUri: string;
  };
  readonly pkceApplication: { readonly clientId: string; readonly redirectUri: string };
}

export interface ImportedHuman {
  readonly userId: string;
  readonly loginName: string;
  readonly email: string;
  /** Empty where none was asked for. */
  readonly passkeyLink: string;
}

interface ImportAnswer {
  readonly userId: string;
  readonly passwordlessRegistration?: { readonly link: string };
}

/**
 * What a browser test stands on: migrated and bootstrapped by the commands, API and worker as processes of the
 * build, the mailbox, an application to come from and go back to, and Chromium. One for each file of tests.
 */
export class Stage {
  private readonly visitors: Visitor[] = [];
  private humans = 0;

  private constructor(
    readonly credentials: Credentials,
    readonly mailbox: Mailbox,
    /** Whose mails the mailbox refuses, for good. */
    readonly refused: Set<string>,
    readonly database: TestDatabase,
    private readonly application: Application,
    private readonly browser: Browser,
    private readonly undo: Undo,
  ) {}

  static async build(environment: Readonly<Record<string, string>>): Promise<Stage> {
    const undo = new Undo();
    try {
      const database = undo.later(await cloneDatabase(), (it) => it.drop());
      const application = undo.later(await Application.listen(), (it) => it.close());
      const refused = new Set<string>();
      const refuse = ({ to }: MailboxMessage) => (refused.has(to) ? 550 : undefined);
      const mailbox = undo.later(await startMailbox({ refuse }), (it) => it.stop());
      const port = await anyFreePort();
      const variables = {
        DATABASE_URL: database.serviceUrl,
        REDIS_URL: redisUrl(),
        QUEUE_PREFIX: randomPrefix(),
        PUBLIC_URL: `http://localhost:${port}`,
        PORT: String(port),
        OPS_PORT: '0',
        SMTP_URL: mailbox.smtpUrl,
        // people sign in hundreds of times here; that times tell nothing is for the http ring to show
        SIGN_IN_RESPONSE_PADDING: '100ms',
        BOOTSTRAP_ORG_NAME: 'Lighthouse Ltd',
        BOOTSTRAP_PRIMARY_DOMAIN: 'lighthouse.example',
        ...environment,
      };
      await migrateOnce(variables);
      const programs = ['src/main', 'workers/main'].map((name) => {
        return undo.later(Program.start(name, variables), (it) => it.stop());
      });
      const credentials = await bootstrap(variables, mailbox.url);
      const browser = undo.later(await launchChromium([application.browserArgument]), (it) => it.close());
      await Promise.all(programs.map((program) => program.untilReady()));
      return new Stage(credentials, mailbox, refused, database, application, browser, undo);
    } catch (error) {
      await undo.all();
      throw error;
    }
  }

  get issuer(): string {
    return this.credentials.issuer;
  }

  /** A new browser profile with one window. */
  async visit(options: VisitorOptions = {}): Promise<Visitor> {
    const ownHosts = [this.issuer, this.mailbox.url].map((url) => new URL(url).host);
    const visitor = await Visitor.arrive(
      this.browser,
      [...ownHosts, this.application.host, this.application.otherHost, ...(options.hosts ?? [])],
      options,
    );
    this.visitors.push(visitor);
    return visitor;
  }

  /** Where the application sends a browser on to. */
  get onwardUrl(): string {
    return `http://${this.application.otherHost}/home`;
  }

  /** The address by which the PKCE application sends somebody to sign in. */
  depart(changes: Readonly<Record<string, string>> = {}): Departure {
    return depart(this.issuer, this.credentials.pkceApplication, changes);
  }

  async redeem(code: string | null, departure: Departure): Promise<Tokens> {
    return await redeem(this.issuer, this.credentials.pkceApplication, code, departure);
  }

  /**
   * Imports a human over HTTP; without changes one with a verified address and no password.
   * @param by whose token makes them: what a lower rank made ends when its user rises
   */
  async importHuman(
    changes: Readonly<Record<string, unknown>> = {},
    by: { readonly pat: string } = this.credentials.serviceUser,
  ): Promise<ImportedHuman> {
    this.humans += 1;
    const userName = `ada-${this.humans}`;
    const email = `${userName}@post.example`;
    const response = await fetch(`${this.issuer}/management/v1/users/human/_import`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${by.pat}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        userName,
        profile: { firstName: 'Ada', lastName: 'Lovelace' },
        email: { email, isEmailVerified: true },
        ...changes,
      }),
    });
    const answer = (await response.json()) as ImportAnswer;
    if (!response.ok) throw new Error(`the import answered ${response.status}: ${JSON.stringify(answer)}`);
    const { userId, passwordlessRegistration } = answer;
    const loginName = `${userName}@${this.credentials.primaryDomain}`;
    return { userId, loginName, email, passkeyLink: passwordlessRegistration?.link ?? '' };
  }

  /** A call of an instance owner. @param path such as `management/v1/orgs/me` */
  async asRoot<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    org = '',
  ): Promise<Answer> {
    const response = await fetch(`${this.issuer}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.credentials.adminServiceUser.pat}`,
        'content-type': 'application/json',
        ...(org !== '' && { 'x-zitadel-orgid': org }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async isEmailVerified(userId: string): Promise<boolean> {
    const response = await fetch(`${this.issuer}/management/v1/users/${userId}`, {
      headers: { authorization: `Bearer ${this.credentials.serviceUser.pat}` },
    });
    const { user } = (await response.json()) as { user: { human: { email: { isEmailVerified?: boolean } } } };
    return user.human.email.isEmailVerified === true;
  }

  /** Replaces how the pages of the organization look. @param policy as `PUT policies/branding` takes it */
  async brand(policy: Readonly<Record<string, string>>): Promise<void> {
    await this.replacePolicy('branding', policy);
  }

  async replacePolicy(name: 'branding' | 'login' | 'factors' | 'tokens', policy: object): Promise<void> {
    await this.asRoot('PUT', `management/v1/policies/${name}`, policy);
  }

  /** Sets the clock of the database forward, by which the service tells the time. */
  async advance(seconds: number): Promise<void> {
    await runAsAdmin(
      this.database.url,
      `UPDATE test_clock SET shift = shift + interval '${Math.ceil(seconds)} seconds'`,
    );
  }

  /** The newest mail to this address, once so many have come. */
  async mailTo(address: string, count = 1): Promise<MailboxMessage> {
    return await eventually(`mail ${count} to ${address}`, 60_000, () => {
      const mails = this.mailbox.messages(address);
      return mails.length < count ? undefined : mails[0];
    });
  }

  /** Ends every visit. @returns what the browsers complained about */
  async sayGoodbye(): Promise<readonly string[]> {
    const visitors = this.visitors.splice(0);
    await Promise.all(visitors.map((visitor) => visitor.leave()));
    return visitors.flatMap((visitor) => visitor.complaints);
  }

  /** Photographs every visitor's page. @returns where each of them is: of a machine that is gone the report alone is left */
  async recordAll(name: string): Promise<string> {
    await Promise.all(this.visitors.map((visitor, index) => visitor.photograph(`failed-${name}-${index}`)));
    return (await Promise.all(this.visitors.map((visitor) => visitor.whereabouts()))).join('\n\n');
  }

  async tearDown(): Promise<void> {
    await this.undo.all();
  }
}

let isMigrated = false;

/**
 * Has the command find nothing to do in the copy of the template, as it is deployed before every start. The copies are alike: the
 * first stage of a process says it for all.
 */
async function migrateOnce(variables: Readonly<Record<string, string>>): Promise<void> {
  if (isMigrated) return;
  await Program.run('src/cli/migrate', variables);
  isMigrated = true;
}

/** What was set up, to be taken down in the opposite order, also when the setting up failed half-way. */
class Undo {
  private readonly steps: (() => Promise<void>)[] = [];

  later<T>(thing: T, end: (thing: T) => Promise<void>): T {
    this.steps.push(() => end(thing));
    return thing;
  }

  async all(): Promise<void> {
    for (const step of this.steps.splice(0).toReversed()) await step();
  }
}

/**
 * Builds the stage before the tests of a file and takes it down after them. A test fails as well when a browser
 * complained: about the Content-Security-Policy, a script, a file that did not come, or a request to a strange host.
 */
export function useStage(environment: Readonly<Record<string, string>> = {}): () => Stage {
  let stage: Stage | undefined;
  let failed = false;
  beforeAll(async () => {
    stage = await Stage.build(environment);
  });
  afterEach(async ({ task }) => {
    let places: string | undefined;
    if (task.result?.state === 'fail') {
      failed = true;
      places = await stage?.recordAll(task.name.replaceAll(/\W+/g, '-').slice(0, 60));
    }
    const complaints = (await stage?.sayGoodbye()) ?? [];
    if (complaints.length > 0) {
      failed = true;
      throw new Error(`the browser complained:\n${complaints.join('\n')}`);
    }
    if (places !== undefined) throw new Error(`the browser was at:\n${places}`);
  });
  afterAll(async () => {
    await stage?.tearDown();
    await (failed ? keepScreenshots() : removeScreenshots());
  });
  return () => {
    if (stage === undefined) throw new Error('the stage stands only while tests run');
    return stage;
  };
}

async function bootstrap(
  environment: Readonly<Record<string, string>>,
  mailboxUrl: string,
): Promise<Credentials> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'identity-browser-'));
  try {
    const file = path.join(folder, 'credentials.json');
    await Program.run('src/cli/bootstrap', environment, ['--credentials', file, '--mailbox-url', mailboxUrl]);
    return JSON.parse(await readFile(file, 'utf8')) as Credentials;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
