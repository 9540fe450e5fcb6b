import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../authorizations/actor.js';
import { Sealer } from '../../secrets/sealer.js';

const IV_BYTES = 16;
/** Ids are padded to so many bytes, so that the length of a name says nothing: 32 hold the 36 characters of a UUID. */
const BLOCK_BYTES = 32;
/** 200 characters, the longest id. With the IV before it that is 255 characters of base64url, the longest `sub` (Core §2). */
const MOST_BYTES = 175;
const NAME = /^[A-Za-z0-9_-]{64,255}$/;

type Kind = 'subject' | 'session';

/** Who gets the subject: everybody but applications with pairwise subjects gets ids as they are. */
export interface SubjectRecipient {
  readonly pairwiseSector?: string | null | undefined;
}

/** What a token of ours says of people and sessions, in the words of its client. */
export interface ClientClaims {
  readonly sub: string;
  readonly sid?: string | undefined;
  readonly act?: Actor | undefined;
}

/**
 * Pairwise subject identifiers (OpenID Connect Core §8.1): applications of different sectors know the same user by different
 * names, and cannot find out together that it is one user. Session ids, which one browser shares among all of its applications,
 * differ by sector in the same way.
 *
 * A name is the id itself, encrypted deterministically (SIV, as in RFC 5297, with HMAC-SHA256 and AES-256-CTR): base64url of
 * `IV | ciphertext`, where the IV is a MAC over kind, sector and id. So the same user in the same sector always has the same
 * name, nothing is written or looked up to make one, nobody but the service can go back from one, and a name that was made up or
 * is another sector's does not open. The keys come from the first data key, which outlives signing keys and master keys.
 */
@Injectable()
export class PairwiseSubjects {
  private cipherKey: Buffer | undefined;

  constructor(private readonly sealer: Sealer) {}

  /** `sub` */
  subjectFor({ pairwiseSector: sector }: SubjectRecipient, userId: string): string {
    return sector == null ? userId : this.name('subject', sector, userId);
  }

  /** `sid` */
  sessionFor({ pairwiseSector: sector }: SubjectRecipient, sessionId: string): string {
    return sector == null ? sessionId : this.name('session', sector, sessionId);
  }

  /** `act`: who acts is somebody with a name, too. */
  actorFor(recipient: SubjectRecipient, actor: Actor): Actor {
    return recipient.pairwiseSector == null
      ? actor
      : renamed(actor, (sub) => this.subjectFor(recipient, sub));
  }

  /** The user of a client's `sub`; undefined for one of another sector, or that was made up. */
  userNamed({ pairwiseSector: sector }: SubjectRecipient, sub: string): string | undefined {
    if (sector == null) return sub;
    const id = this.open(sub);
    if (id === undefined) return undefined;
    return timingSafeEqual(this.iv('subject', sector, id), ivOf(sub)) ? id : undefined;
  }

  /**
   * The ids behind the subjects of a token that this service signed and marked as pairwise (`TokenId`). The signature
   * is proof enough, so the sector is not compared: a hint may be older than the sector of its client.
   *
   * @returns undefined where the names do not open, as after the data keys were lost
   */
  idsIn({ sub, sid, act }: ClientClaims): ClientClaims | undefined {
    const subject = this.open(sub);
    const session = sid === undefined ? undefined : this.open(sid);
    if (subject === undefined || (sid !== undefined && session === undefined)) return undefined;
    return { sub: subject, sid: session, act: act && renamed(act, (name) => this.open(name) ?? name) };
  }

  private name(kind: Kind, sector: string, id: string): string {
    const iv = this.iv(kind, sector, id);
    const cipher = createCipheriv('aes-256-ctr', this.key(), iv);
    return Buffer.concat([iv, cipher.update(packed(id)), cipher.final()]).toString('base64url');
  }

  private open(name: string): string | undefined {
    if (!NAME.test(name)) return undefined;
    const bytes = Buffer.from(name, 'base64url');
    // some names have a second spelling, by bits that nobody reads
    if (bytes.toString('base64url') !== name) return undefined;
    const decipher = createDecipheriv('aes-256-ctr', this.key(), bytes.subarray(0, IV_BYTES));
    return unpacked(Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]));
  }

  private iv(kind: Kind, sector: string, id: string): Buffer {
    // neither a host nor an id has this character
    return this.sealer.mac('pairwise-name', `${kind}\n${sector}\n${id}`).subarray(0, IV_BYTES);
  }

  private key(): Buffer {
    return (this.cipherKey ??= this.sealer.mac('pairwise-name-cipher', 'key'));
  }
}

function ivOf(name: string): Buffer {
  return Buffer.from(name, 'base64url').subarray(0, IV_BYTES);
}

function renamed(actor: Actor, rename: (sub: string) => string): Actor {
  const { act } = actor;
  return { ...actor, sub: rename(actor.sub), ...(act && { act: renamed(act, rename) }) };
}

/** Seven bits for each character: ids are printable ASCII, 200 characters at most (`given-id.ts`). */
function packed(id: string): Buffer {
  let bits = 0n;
  for (const character of id) bits = (bits << 7n) | BigInt(character.charCodeAt(0));
  const hex = bits.toString(16);
  const blocks = Math.ceil(hex.length / 2 / BLOCK_BYTES);
  return Buffer.from(hex.padStart(Math.min(blocks * BLOCK_BYTES, MOST_BYTES) * 2, '0'), 'hex');
}

function unpacked(bytes: Buffer): string {
  const characters: string[] = [];
  for (let bits = BigInt(`0x${bytes.toString('hex')}`); bits > 0n; bits >>= 7n) {
    characters.push(String.fromCharCode(Number(bits & 127n)));
  }
  return characters.toReversed().join('');
}
