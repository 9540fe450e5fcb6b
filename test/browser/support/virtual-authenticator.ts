import type { CDPSession, Page } from 'playwright-core';

export interface VirtualPasskey {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId: string;
  readonly privateKey: string;
  readonly userHandle: string;
  readonly signCount: number;
}

/** A phone or a computer that keeps passkeys, as Chromium plays it (CDP domain WebAuthn). */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async plugInto(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** Whether PIN, finger or face are the right ones. */
  async verifies(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { ...this.id, isUserVerified });
  }

  /** From the next page on, only the button asks for passkeys, as in a browser that does not offer them in fields. */
  static async hideAutofill(page: Page): Promise<void> {
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  }

  /**
   * Whether somebody agrees at once to whatever a page asks for. Turned on, it answers what a field has asked for before,
   * and loses what a button has: a test of the button hides autofill instead.
   */
  async agrees(enabled: boolean): Promise<void> {
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { ...this.id, enabled });
  }

  async passkeys(): Promise<readonly VirtualPasskey[]> {
    const { credentials } = await this.session.send('WebAuthn.getCredentials', this.id);
    return credentials as unknown as readonly VirtualPasskey[];
  }

  /** As a thief does who copied it, or a user whose passkeys are on all their devices. */
  async take(passkey: VirtualPasskey): Promise<void> {
    await this.session.send('WebAuthn.addCredential', { ...this.id, credential: passkey });
  }

  private get id(): { readonly authenticatorId: string } {
    return { authenticatorId: this.authenticatorId };
  }
}
