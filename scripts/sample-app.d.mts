export interface SampleApplicationCredentials {
  readonly issuer: string;
  readonly webApplication: {
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
    readonly redirectUri: string;
    readonly postLogoutRedirectUri: string;
  };
  readonly pkceApplication: { readonly clientId: string; readonly redirectUri: string };
}

export interface SampleApplication {
  url: string;
  stop(): Promise<void>;
}

export interface SampleApplicationOptions {
  /** 0 or nothing: a free one. */
  port?: number;
  /** Asked at each sign-in. */
  credentials: () => SampleApplicationCredentials;
}

export function startSampleApplication(options: SampleApplicationOptions): Promise<SampleApplication>;
