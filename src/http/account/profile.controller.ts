import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangeProfile } from '../../domain/accounts/change-profile.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { UnitOfWork } from '../../domain/shared/unit-of-work.js';
import { readNames, type TypedNames } from '../../domain/users/names/typed-names.js';
import { usualDisplayName } from '../../domain/users/profile-replacement.js';
import type { HumanProfile } from '../../domain/users/user.js';
import {
  FURTHER_FIELDS,
  renderAccountProfilePage,
  type AccountProfilePage,
} from '../../pages/account-profile-page.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { AccountController } from './account-controller.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';
import { ManagedProfile } from './managed-profile.js';
import { doneAt } from './notices.js';
import { ownChange } from './own-change.js';
import { furtherOf, readFurther, typedIn, type Further } from './own-profile.js';

const STEP = 'profile';
const PATH = '/account/profile';

/** The claims that no field of the page shows: they stay. */
const NOT_SHOWN: readonly (keyof HumanProfile)[] = ['preferredLanguage'];
const FURTHER_CLAIMS: readonly (keyof HumanProfile)[] = [
  'middleName',
  'nickName',
  'birthdate',
  'gender',
  'zoneinfo',
  'website',
  'profile',
  'picture',
  'address',
];

type Values = Pick<AccountProfilePage, 'firstName' | 'lastName' | 'displayName' | 'further'>;

/** What one is called, and what else applications may ask for about oneself. */
@AccountController(PATH)
export class ProfileController {
  constructor(
    private readonly visits: AccountVisits,
    private readonly changeProfile: ChangeProfile,
    private readonly managed: ManagedProfile,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const visit = await this.visits.open(request, reply);
    if (visit === undefined) return;
    this.showForm(request, reply, visit, { ...onFile(visit), managed: await this.managed.of(visit) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return;
    const { visit, form } = submitted;
    const managed = await this.managed.of(visit);
    const typed = typedOver(onFile(visit), form, managed);
    const names = readNames(typed);
    const further = readFurther(typed.further);
    if ('problems' in names || 'faults' in further) {
      const problems = 'problems' in names ? names.problems : [];
      const faults = 'faults' in further ? further.faults : [];
      return this.showForm(request, reply, visit, { ...typed, managed, problems, faults });
    }
    const profile = { ...further.profile, ...names.names };
    // a form of the release before has the names alone
    const kept = showsAll(form) ? NOT_SHOWN : [...NOT_SHOWN, ...FURTHER_CLAIMS];
    await this.unitOfWork.run((tx) => this.changeProfile.execute(tx, ownChange(visit), { profile, kept }));
    void redirectTo(reply, doneAt('/account', 'profile'), 303);
  }

  private showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    view: Values & Pick<AccountProfilePage, 'managed' | 'problems' | 'faults'>,
  ): void {
    const form = this.visits.form(visit, STEP, PATH, { shows: 'all' });
    const { displayName } = visit.user.profile;
    // one that somebody else sets is shown as it is, also where it is the usual one
    const shown = view.managed?.has('displayName') === true ? { ...view, displayName } : view;
    const isRefused = view.problems !== undefined || view.faults !== undefined;
    this.visits.send(
      request,
      reply,
      visit,
      (page) => renderAccountProfilePage({ ...page, ...shown, form }),
      isRefused ? 400 : 200,
    );
  }
}

function showsAll(form: OAuthParameters): boolean {
  return form.get('shows') === 'all';
}

function onFile({ user: { profile } }: AccountVisit): TypedNames & { readonly further: Further } {
  const { firstName, lastName, displayName } = profile;
  const chosen = displayName === usualDisplayName({ firstName, lastName }) ? undefined : displayName;
  return { firstName, lastName, displayName: chosen, further: furtherOf(profile) };
}

/** What was typed, but for what somebody else has the say over. */
function typedOver(
  now: TypedNames & { readonly further: Further },
  form: OAuthParameters,
  managed: NonNullable<AccountProfilePage['managed']>,
): TypedNames & { readonly further: Further } {
  const typed = typedIn(form);
  const named = (field: keyof TypedNames) => (managed.has(field) ? now[field] : form.get(field));
  const further = FURTHER_FIELDS.map(
    (field) => [field, managed.has(field) ? now.further[field] : typed[field]] as const,
  );
  return {
    firstName: named('firstName'),
    lastName: named('lastName'),
    displayName: named('displayName'),
    further: Object.fromEntries(further.filter(([, value]) => value !== undefined)),
  };
}
