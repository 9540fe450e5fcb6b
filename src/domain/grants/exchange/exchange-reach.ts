import { Injectable } from '@nestjs/common';
import type { Application } from '../../applications/application.js';
import { OAuthError } from '../../shared/errors.js';
import { ProjectAudience, scopesWithin } from '../../tokens/audience/project-audience.js';
import { RequestedAudience } from '../../tokens/audience/requested-audience.js';
import { STANDARD_SCOPES } from '../../tokens/scopes/scopes.js';
import type { ExchangeRequest } from './exchange-request.js';
import type { ExchangedToken } from './exchanged-token.js';

interface Reach {
  readonly audience: readonly string[];
  readonly scopes: readonly string[];
}

/**
 * How far what comes out of an exchange reaches: no further than what went in, than the client's organization may name, and than
 * the application may hold.
 */
@Injectable()
export class ExchangeReach {
  constructor(
    private readonly projectAudience: ProjectAudience,
    private readonly requestedAudience: RequestedAudience,
  ) {}

  /** @throws OAuthError invalid_scope, invalid_target */
  async of(
    request: ExchangeRequest,
    application: Application,
    subject: ExchangedToken,
    actor: ExchangedToken | undefined,
  ): Promise<Reach> {
    const audience = await this.audienceWithin(request, application, subject, actor);
    const scopes = await this.scopesWithin(request, application, audience, subject, actor);
    await this.requireMayHold(request.scopes ?? [], audience, application, subject);
    return { audience, scopes };
  }

  /**
   * Who holds a token for the service's own APIs could pass it to an application that was never given any access, and
   * have it exchanged there: that gains nothing (security S181).
   *
   * @throws OAuthError invalid_scope, invalid_target
   */
  private async requireMayHold(
    scopes: readonly string[],
    audience: readonly string[],
    application: Application,
    { userId }: ExchangedToken,
  ): Promise<void> {
    const named = await this.requestedAudience.namedBy(scopes);
    if (!(await this.requestedAudience.mayHold(named, application, userId))) {
      throw new OAuthError(
        'invalid_scope',
        "the application may not act on the service's own APIs for the user",
      );
    }
    if (!(await this.requestedAudience.mayHold(audience, application, userId))) {
      throw new OAuthError(
        'invalid_target',
        "the application may not act on the service's own APIs for the user; name another audience",
      );
    }
  }

  /**
   * Of what the tokens are for, what this client's organization may name: an exchange must not carry an audience to an
   * organization that could not ask for it. What is asked for by name and may not be had is refused, never left out.
   */
  private async audienceWithin(
    request: ExchangeRequest,
    { orgId, clientId, projectId }: Application,
    subject: ExchangedToken,
    actor: ExchangedToken | undefined,
  ): Promise<readonly string[]> {
    const wanted = audienceFor(request, subject, actor);
    const others = wanted.filter((one) => one !== clientId && one !== projectId);
    const reachable = await this.projectAudience.reachable(orgId, others);
    const beyond = others.find((one) => !reachable.has(one));
    if (beyond !== undefined && request.audience.length > 0) throw refusedTarget(beyond);
    const audience = wanted.filter((one) => one === clientId || one === projectId || reachable.has(one));
    return audience.length > 0 ? audience : [clientId];
  }

  private async scopesWithin(
    request: ExchangeRequest,
    { orgId, projectId }: Application,
    audience: readonly string[],
    subject: ExchangedToken,
    actor: ExchangedToken | undefined,
  ): Promise<readonly string[]> {
    const scopes = scopesFor(request, subject, actor);
    if (request.scopes === undefined) return scopesWithin(scopes, audience);
    await this.projectAudience.require(orgId, projectId, request.scopes);
    return scopes;
  }
}

/** @throws OAuthError invalid_scope for more than what the tokens allow */
function scopesFor(
  { scopes }: ExchangeRequest,
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
): readonly string[] {
  if (scopes === undefined) return subject.scopes ?? actor?.scopes ?? [];
  // a user who brings no token brings no scopes: what a user can be asked for, whoever may act for them may ask for
  const brought = new Set([...(subject.scopes ?? STANDARD_SCOPES), ...(actor?.scopes ?? [])]);
  if (scopes.every((scope) => brought.has(scope))) return scopes;
  throw new OAuthError('invalid_scope', 'scope exceeds what subject and actor tokens have');
}

/** @throws OAuthError invalid_target for what the tokens are not for */
function audienceFor(
  { audience: asked }: ExchangeRequest,
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
): readonly string[] {
  const beyond = asked.find((one) => !subject.audiences.has(one) && actor?.audiences.has(one) !== true);
  if (beyond !== undefined) throw refusedTarget(beyond);
  if (asked.length > 0) return asked;
  return subject.audience.length > 0 ? subject.audience : (actor?.audience ?? []);
}

function refusedTarget(beyond: string): OAuthError {
  return new OAuthError(
    'invalid_target',
    'audience not found in subject or actor token',
    beyond.slice(0, 200),
  );
}
