import { Injectable } from '@nestjs/common';
import type { Application } from '../../applications/application.js';
import { missing, type Confirmation } from '../../authorizations/confirmation.js';
import type { TokenLineage } from '../../authorizations/token-lineage.js';
import { OAuthError } from '../../shared/errors.js';
import { ProjectChecks } from '../../tokens/project-checks.js';
import type { ExchangeRequest } from './exchange-request.js';
import type { ExchangedToken } from './exchanged-token.js';
import { ReadExchangedToken } from './read-exchanged-token.js';
import { RightToAct } from './right-to-act.js';

/** Whose tokens are exchanged. */
interface Parties {
  readonly subject: ExchangedToken;
  /** Who acts for the subject, where somebody does, and by what right. */
  readonly actor: ExchangedToken | undefined;
  readonly right: Partial<TokenLineage> | undefined;
}

/**
 * Reads who brings what to an exchange. Every subject that may not be acted for is refused in the same words as one that does not
 * exist, and the log knows more.
 */
@Injectable()
export class ExchangeParties {
  constructor(
    private readonly readExchangedToken: ReadExchangedToken,
    private readonly rightToAct: RightToAct,
    private readonly projectChecks: ProjectChecks,
  ) {}

  /** @throws OAuthError */
  async read(
    request: ExchangeRequest,
    application: Application,
    confirmation: Confirmation | undefined,
  ): Promise<Parties> {
    const actor = request.actor && (await this.readActor(request.actor, application));
    const { type, token } = request.subject;
    const subject = await this.readExchangedToken.subject(type, token, application);
    if (subject === undefined) throw refusedSubject('not a live token of this client, or no such user');
    for (const one of [subject, actor]) requireProofOf(one?.confirmation, application, confirmation);
    // whom a project keeps from signing in comes to its applications by no other's token either
    const problem = await this.projectChecks.problem(undefined, application, subject);
    if (problem !== undefined) throw refusedSubject(problem);
    const right = actor && (await this.rightOf(actor, subject));
    return { subject, actor, right };
  }

  private async readActor(
    { type, token }: NonNullable<ExchangeRequest['actor']>,
    application: Application,
  ): Promise<ExchangedToken> {
    await this.rightToAct.requireServed();
    const actor = await this.readExchangedToken.actor(type, token, application);
    if (actor !== undefined) return actor;
    throw new OAuthError('invalid_request', 'actor_token invalid', 'not a live token of this client');
  }

  private async rightOf(actor: ExchangedToken, subject: ExchangedToken): Promise<Partial<TokenLineage>> {
    const right = await this.rightToAct.of(actor, subject);
    if (right === undefined) throw refusedSubject('the actor has no right to act for the subject');
    return right;
  }
}

/** @param reason for the log alone */
export function refusedSubject(reason: string): OAuthError {
  return new OAuthError('invalid_request', 'subject_token invalid', reason);
}

/**
 * A bound token that was stolen must not become another one that is not: a client that shows no secret has to have its key.
 * One with a secret may be the resource server that the token was sent to, which has it not.
 */
function requireProofOf(
  bound: Confirmation | undefined,
  { authMethod }: Application,
  confirmation: Confirmation | undefined,
): void {
  if (bound === undefined || authMethod !== 'none' || bound === confirmation) return;
  throw new OAuthError('invalid_request', `the token is ${missing(bound)}`);
}
