import { Get, Injectable, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginExternalSignIn } from '../../domain/external-sign-in/begin-external-sign-in.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { ManageIdentities } from '../../domain/identity-providers/manage-identities.js';
import { UserIdentitiesStore } from '../../domain/identity-providers/user-identities.store.js';
import { inPerson } from '../../domain/permissions/acting.js';
import type { IdentityProviderId, UserIdentityId } from '../../domain/shared/ids.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { isLastWayIn } from '../../domain/users/require-way-in.js';
import { renderAccountIdentitiesPage } from '../../pages/account-identities-page.js';
import type { AccountSection } from '../../pages/account-layout.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import type { Texts } from '../../pages/texts.js';
import { addressesAt } from '../shared/external-callback.js';
import { readQuery } from '../shared/oauth-form.js';
import { redirectTo } from '../shared/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { doneAt, noticeOf, type Done } from './notices.js';
import { SecuritySection } from './security-section.js';

const PATH = '/account/security/identities';

/** Who the reader is elsewhere: what they sign in with, one more, and one less. */
@AccountController(PATH)
export class IdentitiesController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly identities: ManageIdentities,
    private readonly providers: IdentityProvidersStore,
    private readonly begin: BeginExternalSignIn,
    private readonly unitOfWork: UnitOfWork,
    private readonly config: Config,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.openFresh(request, reply);
    if (visit === undefined) return;
    const { orgId, userId } = visit.session;
    const [own, { providers }] = await Promise.all([
      this.identities.list(orgId, userId),
      this.providers.findTerms(orgId),
    ]);
    this.visits.send(request, reply, visit, (page) =>
      renderAccountIdentitiesPage({
        ...page,
        notice: noticeOf(readQuery(request).get('done'), page.texts),
        identities: own.map(({ id, ...identity }) => ({
          ...identity,
          disconnect: this.visits.form(visit, 'disconnect', `${PATH}/disconnect`, { target: id }),
        })),
        others: providers.map(({ id, name }) => ({
          name,
          connect: this.visits.form(visit, 'connect', `${PATH}/connect`, { target: id }),
        })),
      }),
    );
  }

  @Post('connect')
  async connect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, 'connect', PATH);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const id = (form.get('target') ?? '') as IdentityProviderId;
    const { id: linkSessionId, orgId, userAgentId } = visit.session;
    const addresses = addressesAt(this.config.app.issuer.url, id);
    const begun = await this.begin.toLink(orgId, userAgentId, { linkSessionId }, id, addresses);
    if (begun.kind !== 'begun') return void redirectTo(reply, doneAt(PATH, 'identityNotAdded'), 303);
    this.visits.send(request, reply, visit, (page) =>
      renderSendOnPage({ ...page, url: begun.url, provider: begun.provider }),
    );
  }

  @Post('disconnect')
  async disconnect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submittedFresh(request, reply, 'disconnect', PATH);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const done = await this.remove(visit, (form.get('target') ?? '') as UserIdentityId);
    void redirectTo(reply, doneAt(PATH, done), 303);
  }

  private async remove({ session }: AccountVisit, id: UserIdentityId): Promise<Done> {
    const { orgId, userId } = session;
    try {
      await this.unitOfWork.run((tx) =>
        this.identities.remove(tx, { orgId, userId, ...inPerson(userId) }, id),
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
      action: { url: PATH, label: open },
    });
  }
}
