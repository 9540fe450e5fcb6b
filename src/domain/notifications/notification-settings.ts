export abstract class NotificationSettings {
  /** Origin of every link, and the right-hand side of every Message-ID. */
  abstract readonly issuer: string;
}
