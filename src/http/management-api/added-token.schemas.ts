import { z } from 'zod';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { answerFrom, detailsOfCreation } from '../shared/answers.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

interface AddedToken {
  readonly id: string;
  readonly token: string;
  readonly details: ResourceDetails;
}

/** Answer of what makes a token, whatever the token opens; it is shown this once. */
export const addedTokenAnswer = answerFrom(
  z.object({ tokenId: idSchema, token: z.string(), details: detailsOfCreation }),
  ({ id, token, details }: AddedToken) => ({ tokenId: id, token, details }),
);
