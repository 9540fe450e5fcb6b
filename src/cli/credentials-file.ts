import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type {
  BootstrapCredentials,
  CredentialsKeeper,
  EarlierSecrets,
} from '../domain/bootstrap/credentials.js';
import { requireFree } from './files/private-draft.js';
import { writePrivateFile } from './files/private-file.js';
import { cannotUse } from './files/reason-of.js';

const NAMED_BY = '--credentials';

/** Of a file that a person may have edited, what is usable. */
const secret = z.string().min(1).max(1000).optional().catch(undefined);
const held = z.object({
  admin: z.object({ password: secret }).catch({ password: undefined }),
  serviceUser: z.object({ pat: secret }).catch({ pat: undefined }),
  adminServiceUser: z.object({ pat: secret }).catch({ pat: undefined }),
  webApplication: z.object({ clientSecret: secret }).catch({ clientSecret: undefined }),
  mailboxUrl: secret,
});

interface CredentialsFileFacts {
  readonly issuer: string;
  /** Undefined leaves what the file says. */
  readonly mailboxUrl: string | undefined;
}

/** The credentials file: JSON, readable by its owner only, replaced as a whole or not at all. */
export class CredentialsFile implements CredentialsKeeper {
  private mailboxUrl: string | undefined;

  constructor(
    private readonly file: string,
    private readonly facts: CredentialsFileFacts,
  ) {}

  async read(): Promise<EarlierSecrets> {
    const result = held.safeParse(await this.readJson());
    if (!result.success) return {};
    const { admin, serviceUser, adminServiceUser, webApplication, mailboxUrl } = result.data;
    this.mailboxUrl = mailboxUrl;
    return {
      ...(admin.password !== undefined && { adminPassword: admin.password }),
      ...(serviceUser.pat !== undefined && { serviceUserPat: serviceUser.pat }),
      ...(adminServiceUser.pat !== undefined && { adminServiceUserPat: adminServiceUser.pat }),
      ...(webApplication.clientSecret !== undefined && { clientSecret: webApplication.clientSecret }),
    };
  }

  async write(credentials: BootstrapCredentials): Promise<void> {
    const { issuer, mailboxUrl = this.mailboxUrl ?? null } = this.facts;
    const content = { issuer, ...credentials, mailboxUrl, dashboardUrl: `${issuer}/admin/queues` };
    // replacing its own file is what a repeated bootstrap does; a link in its place is never followed
    await writePrivateFile(this.file, `${JSON.stringify(content, null, 2)}\n`, { replace: true }).catch(
      (error: unknown) => {
        throw cannotUse(this.file, NAMED_BY, error);
      },
    );
  }

  private async readJson(): Promise<unknown> {
    try {
      await requireFree(this.file, { replace: true });
      const handle = await open(this.file, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        return JSON.parse(await handle.readFile('utf8'));
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw cannotUse(this.file, NAMED_BY, error);
    }
  }
}
