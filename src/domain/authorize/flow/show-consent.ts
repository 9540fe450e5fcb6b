import { Injectable } from '@nestjs/common';
import type { ManagementAccess } from '../../permissions/management-access.js';
import type { Session } from '../../sessions/session.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { AnswerRequest } from '../answer/answer-request.js';
import { AskConsent } from '../answer/ask-consent.js';
import { isStillServed } from '../request/validate-request.js';
import { isHinted } from './decide-flow.js';
import type { Flow } from './find-flow.js';

/** What the page of the consent shows. */
@Injectable()
export class ShowConsent {
  constructor(
    private readonly answerRequest: AnswerRequest,
    private readonly consent: AskConsent,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** What the user of the flow's session is asked to agree to now; undefined when nothing is, or no longer. */
  async execute({ request, application }: Flow, session: Session): Promise<ManagementAccess | undefined> {
    if (request === undefined || !isStillServed(request, application)) return undefined;
    if (!isHinted(request, session)) return undefined;
    const prepared = await this.answerRequest.prepare(request, application);
    return await this.unitOfWork.run((tx) => this.consent.needed(tx, prepared, session));
  }
}
