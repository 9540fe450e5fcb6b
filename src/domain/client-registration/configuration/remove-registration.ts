import { Injectable } from '@nestjs/common';
import { ChangeApplication } from '../../applications/change-application.js';
import { UnitOfWork } from '../../shared/unit-of-work.js';
import { AuthenticateRegistration } from './authenticate-registration.js';
import { registeredClientActor } from './write-registration.js';

/** A client removes itself, with its grants and tokens (RFC 7592 §2.3). */
@Injectable()
export class RemoveRegistration {
  constructor(
    private readonly authenticate: AuthenticateRegistration,
    private readonly changeApplication: ChangeApplication,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws OAuthError invalid_token */
  async execute(clientId: string, token: string | undefined): Promise<void> {
    const found = await this.authenticate.execute(clientId, token);
    await this.unitOfWork.run(async (tx) => {
      const { place } = await this.authenticate.lock(tx, found, clientId, token);
      await this.changeApplication.remove(tx, place, registeredClientActor(found.id));
    });
  }
}
