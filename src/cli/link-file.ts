import type { LinkKeeper } from '../domain/bootstrap/credentials.js';
import { writePrivateFile } from './files/private-file.js';
import { cannotUse } from './files/reason-of.js';

/** The file of the administrator's one-time link. One that is there is of a run that did not get to its end. */
export class LinkFile implements LinkKeeper {
  constructor(private readonly file: string) {}

  async write(link: string): Promise<void> {
    await writePrivateFile(this.file, `${link}\n`, { replace: true }).catch((error: unknown) => {
      throw cannotUse(this.file, 'BOOTSTRAP_ADMIN_LINK_FILE', error);
    });
  }
}
