import { Injectable } from '@nestjs/common';
import { OrganizationsStore } from '../../organizations/organizations.store.js';
import { toBase32 } from '../../shared/base32.js';
import { ApiError } from '../../shared/errors.js';
import { randomBytes } from '../../shared/random.js';
import { requireActiveHuman } from '../../users/require-active-human.js';
import { UsersStore } from '../../users/users.store.js';
import { FactorsStore, type EnrollingUser } from '../factors.store.js';
import { totpAddress, usualSeed, type TotpSeed } from './totp-seed.js';

/** Long enough to find the phone and install an app. */
const ENROLMENT_SECONDS = 600;
/** As many as SHA-1 gives (RFC 4226 §4). */
const SECRET_BYTES = 20;

/** What an app needs, as a QR code or typed by hand. Whoever has it can make the same codes: it is shown only to its user and stored sealed. */
export interface NewTotp {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://totp/…` */
  readonly address: string;
}

/** A user begins to add an authenticator app, or another one in place of theirs. */
@Injectable()
export class BeginTotp {
  constructor(
    private readonly users: UsersStore,
    private readonly organizations: OrganizationsStore,
    private readonly factors: FactorsStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition for whoever is no active human, or where the policy does not list apps */
  async execute(who: EnrollingUser): Promise<NewTotp> {
    return await this.show(who, async () => {
      const seed = usualSeed(randomBytes(SECRET_BYTES));
      await this.factors.beginTotp(who, seed, ENROLMENT_SECONDS);
      return seed;
    });
  }

  /** The one that was begun in the session, if it is still good: a page that is shown again shows the same. */
  async resume(who: EnrollingUser): Promise<NewTotp> {
    const begun = await this.factors.findBegunTotp(who);
    return begun === undefined ? await this.execute(who) : await this.show(who, async () => begun.seed);
  }

  private async show(who: EnrollingUser, seedOf: () => Promise<TotpSeed>): Promise<NewTotp> {
    const { orgId, userId } = who;
    const { loginName } = requireActiveHuman(await this.users.find(orgId, userId));
    const { kinds } = await this.factors.findUsable(userId);
    if (!kinds.includes('totp')) {
      throw new ApiError(
        'failed-precondition',
        'The organization does not use authenticator apps',
        'COMMAND-To3k8',
      );
    }
    const organization = await this.organizations.findAsked({ by: 'id', value: orgId });
    const seed = await seedOf();
    return {
      secret: toBase32(seed.secret),
      address: totpAddress(seed, organization?.branding.name ?? '', loginName),
    };
  }
}
