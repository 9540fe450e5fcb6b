import { startTestApi, type TestApi } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import { HYBRID } from '../../support/browser-flow.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';
import { Browser } from './browser.js';
import { selfSignedCertificate, type Certificate } from './certificate.js';
import { HttpsClient } from './https-client.js';
import { HttpsFront } from './https-front.js';
import { SuiteServer } from './suite-server.js';

export type ClientName =
  | 'client'
  | 'client2'
  | 'client_secret_post'
  | 'implicit'
  | 'hybrid'
  | 'hybrid2'
  | 'hybrid_client_secret_post'
  | 'backchannel'
  | 'frontchannel'
  | 'session';

/**
 * The service behind a real https port, the suite's own side behind another, and what the suite's configuration
 * asks for: its clients and a user whose claims are all there.
 */
export class Stage {
  private shiftSeconds = 0;

  private constructor(
    readonly certificate: Certificate,
    readonly api: TestApi,
    /** Has the clients; a plan may add more. */
    readonly world: World,
    readonly http: HttpsClient,
    readonly suite: SuiteServer,
    private readonly front: HttpsFront,
    readonly user: TestUser,
    readonly clients: Readonly<Record<ClientName, TestClient>>,
  ) {}

  static async build(environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const certificate = selfSignedCertificate();
    const [front, suite] = await Promise.all([
      HttpsFront.listen(certificate),
      SuiteServer.listen(certificate),
    ]);
    const api = await startTestApi({
      PUBLIC_URL: front.origin,
      TRUSTED_PROXIES: '127.0.0.1',
      ...environment,
    });
    await api.app.listen(0, '127.0.0.1');
    front.leadTo(Number(new URL(await api.app.getUrl()).port));
    const world = await anOrganization(api);
    return new Stage(
      certificate,
      api,
      world,
      new HttpsClient(certificate.cert),
      suite,
      front,
      await addConformanceUser(world),
      await addClients(world, suite),
    );
  }

  get discoveryUrl(): string {
    return `${this.front.origin}/.well-known/openid-configuration`;
  }

  /** The service's own time: tests move it on instead of waiting. */
  get nowSeconds(): number {
    return Math.floor(Date.now() / 1000) + this.shiftSeconds;
  }

  async advance(seconds: number): Promise<void> {
    this.shiftSeconds += seconds;
    await this.api.advance(seconds);
  }

  newBrowser(): Browser {
    return new Browser(this.http);
  }

  async close(): Promise<void> {
    this.http.close();
    await this.front.close();
    await this.suite.close();
    await this.api.close();
  }
}

/** All claims of the scopes profile, email, address and phone: a missing one would be a WARN (§2.4). */
async function addConformanceUser(world: World): Promise<TestUser> {
  return await aUser(world, {
    userName: 'buffy.summers',
    profile: {
      firstName: 'Buffy',
      lastName: 'Summers',
      middleName: 'Anne',
      nickName: 'Slayer',
      displayName: 'Buffy Anne Summers',
      preferredLanguage: 'en',
      gender: 'female',
      profile: 'https://example.com/buffy',
      picture: 'https://example.com/buffy.png',
      website: 'https://buffy.example.com/',
      birthdate: '1981-01-19',
      zoneinfo: 'America/Los_Angeles',
      address: {
        formatted: '1630 Revello Drive\nSunnydale, CA 95037\nUSA',
        streetAddress: '1630 Revello Drive',
        locality: 'Sunnydale',
        region: 'CA',
        postalCode: '95037',
        country: 'US',
      },
    },
    email: { address: 'buffy@sunnydale.example', verified: true },
    phone: { number: '+13105550119', verified: true },
  });
}

async function addClients(world: World, suite: SuiteServer): Promise<Record<ClientName, TestClient>> {
  const addresses = { redirectUris: [suite.redirectUri], postLogoutRedirectUris: [suite.postLogoutUri] };
  return {
    client: await anApplication(world, addresses),
    client2: await anApplication(world, addresses),
    client_secret_post: await anApplication(world, { ...addresses, authMethod: 'client_secret_post' }),
    implicit: await anApplication(world, {
      ...addresses,
      responseTypes: ['id_token', 'id_token token'],
      grantTypes: ['implicit'],
    }),
    hybrid: await anApplication(world, { ...addresses, ...HYBRID }),
    hybrid2: await anApplication(world, { ...addresses, ...HYBRID }),
    hybrid_client_secret_post: await anApplication(world, {
      ...addresses,
      ...HYBRID,
      authMethod: 'client_secret_post',
    }),
    backchannel: await anApplication(world, { ...addresses, backChannelLogoutUri: suite.backchannelUri }),
    frontchannel: await anApplication(world, {
      ...addresses,
      frontChannelLogoutUri: suite.frontchannelUri,
      frontChannelLogoutSessionRequired: true,
    }),
    session: await anApplication(world, { ...addresses, sessionManagement: true }),
  };
}
