import type { ResourceDetails } from '../../domain/shared/details.js';

/** The details object of answers (protocol §4). The sequence is a string, as protojson writes 64-bit numbers. */
export interface DetailsResponse {
  readonly sequence: string;
  /** RFC 3339, UTC */
  readonly creationDate?: string;
  readonly changeDate?: string;
  readonly resourceOwner: string;
}

export function createdDetails({ sequence, createdAt, resourceOwner }: ResourceDetails) {
  return { sequence, creationDate: createdAt.toISOString(), resourceOwner };
}

export function changedDetails({ sequence, changedAt, resourceOwner }: ResourceDetails) {
  return { sequence, changeDate: changedAt.toISOString(), resourceOwner };
}

export function readDetails(details: ResourceDetails) {
  return { ...createdDetails(details), changeDate: details.changedAt.toISOString() };
}
