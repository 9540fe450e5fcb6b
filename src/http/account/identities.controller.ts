import { Get, Injectable, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ListIdentities } from '../../domain/identity-providers/identities/list-identities.js';
import { RemoveIdentity } from '../../domain/identity-providers/identities/remove-identity.js';
import { UserIdentitiesStore } from '../../domain/identity-providers/identities/user-identities.store.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { UserIdentityId } from '../../domain/shared/ids.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { isLastWayIn } from '../../domain/users/sign-in-methods/require-sign-in-method.js';
import { renderAccountIdentitiesPage } from '../../pages/account-identities-page.js';
import type { AccountSection } from '../../pages/account-layout.js';
import type { Texts } from '../../pages/texts.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt, noticeOf, type Done } from './notices.js';
import { SecuritySection } from './security-section.js';

export const IDENTITIES_PATH = '/account/security/identities';

/** Who the reader is elsewhere: what they sign in with, and one less. One more is begun by `ConnectIdentityController`. */
@AccountController(IDENTITIES_PATH)
export class IdentitiesController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly listIdentities: ListIdentities,
    private readonly removeIdentity: RemoveIdentity,
    private readonly providers: IdentityProvidersStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const { orgId, userId } = visit.session;
    const [own, { providers }] = await Promise.all([
      this.listIdentities.execute(orgId, userId),
      this.providers.findTerms(orgId),
    ]);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountIdentitiesPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        identities: own.map(({ id, ...identity }) => ({
          ...identity,
          disconnect: this.visits.form(visit, 'disconnect', `${IDENTITIES_PATH}/disconnect`, { target: id }),
        })),
        others: providers.map(({ id, name }) => ({
          name,
          connect: this.visits.form(visit, 'connect', `${IDENTITIES_PATH}/connect`, { target: id }),
        })),
      }),
    );
  }

  @Post('disconnect')
  async disconnect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, 'disconnect', IDENTITIES_PATH);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const done = await this.remove(visit, (form.get('target') ?? '') as UserIdentityId);
    void redirectTo(reply, doneAt(IDENTITIES_PATH, done), 303);
  }

  private async remove({ session }: AccountVisit, id: UserIdentityId): Promise<Done> {
    const { orgId, userId } = session;
    try {
      await this.unitOfWork.run((tx) =>
        this.removeIdentity.execute(tx, { orgId, userId, ...inPerson(userId) }, id),
      );
      return 'identityRemoved';
    } catch (error) {
      if (isLastWayIn(error)) return 'lastWayIn';
      throw error;
    }
  }
}

/** Where nobody could connect anything, and nothing is connected, nothing is said of it. */
@Injectable()
export class IdentitiesSection extends SecuritySection {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly providers: IdentityProvidersStore,
  ) {
    super();
  }

  override async read({ session }: AccountVisit): Promise<((texts: Texts) => AccountSection) | undefined> {
    const { orgId, userId } = session;
    const [{ length: count }, { providers }] = await Promise.all([
      this.identities.listOfUser(orgId, userId),
      this.providers.findTerms(orgId),
    ]);
    if (count + providers.length === 0) return undefined;
    return ({ account: { identities: texts, open } }) => ({
      id: 'identities',
      heading: texts.title,
      state: count === 0 ? texts.none : texts.count({ count }),
      action: { url: IDENTITIES_PATH, label: open },
    });
  }
}
