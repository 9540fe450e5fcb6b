import { z } from 'zod';

/** The owner of the deleted account, encrypted with the message that notifies them: nothing else is left of it. */
interface DeletedAccount {
  readonly address: string;
  readonly displayName: string;
  readonly preferredLanguage?: string | undefined;
}

const SEALED = z.object({
  address: z.string(),
  displayName: z.string(),
  preferredLanguage: z.string().optional(),
});

export function sealedAccount({ address, displayName, preferredLanguage }: DeletedAccount): string {
  return JSON.stringify(SEALED.parse({ address, displayName, preferredLanguage }));
}

export function readAccount(content: string | undefined): DeletedAccount {
  if (content === undefined) throw new Error('account_deleted without whom it is for');
  return SEALED.parse(JSON.parse(content));
}
