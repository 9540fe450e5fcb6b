import { z } from 'zod';

/** The accounts that an address could mean, as they are encrypted with the message to its owner. */
export interface ResetChoice {
  /** Where the message goes, whatever address the accounts have by then. */
  readonly address: string;
  readonly accounts: readonly {
    readonly loginName: string;
    readonly organizationName: string;
    readonly hasPassword: boolean;
  }[];
}

const SEALED = z.object({
  address: z.string(),
  accounts: z.array(
    z.object({ loginName: z.string(), organizationName: z.string(), hasPassword: z.boolean() }),
  ),
});

export function sealedChoice({ address, accounts }: ResetChoice): string {
  return JSON.stringify(SEALED.parse({ address, accounts }));
}

export function readChoice(content: string): ResetChoice {
  return SEALED.parse(JSON.parse(content));
}
