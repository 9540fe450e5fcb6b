/** Counts for operators what looks like guessing at clients' secrets. Numbers only: metrics name no client. */
export abstract class ClientBruteForceMeter {
  /** A secret or an assertion of a client that exists was not right. */
  abstract guessed(): void;

  /** Enough were for one client to raise an alarm for its organization. */
  abstract alarmed(): void;
}
