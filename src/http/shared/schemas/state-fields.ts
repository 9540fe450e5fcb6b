import { z } from 'zod';
import type { ActivityState } from '../../../domain/projects/projects.store.js';
import { answerFrom } from '../answers.js';
import { wireEnum } from './wire-enum.js';

/** Whether it works or rests, in an answer: `PROJECT_STATE_ACTIVE`. */
export function stateAnswer(kind: 'APP' | 'ORG' | 'PROJECT' | 'PROJECT_GRANT' | 'USER_GRANT') {
  const active: string = `${kind}_STATE_ACTIVE`;
  const inactive: string = `${kind}_STATE_INACTIVE`;
  return answerFrom(z.enum([active, inactive]), (state: ActivityState) =>
    state === 'active' ? active : inactive,
  );
}

/** The same in what is imported; what says nothing is awake. */
export function stateField(kind: 'APP' | 'PROJECT' | 'PROJECT_GRANT' | 'USER_GRANT') {
  return wireEnum<Readonly<Record<string, ActivityState>>>({
    [`${kind}_STATE_UNSPECIFIED`]: 'active',
    [`${kind}_STATE_ACTIVE`]: 'active',
    [`${kind}_STATE_INACTIVE`]: 'inactive',
  }).default('active');
}

/** The same in what a list is searched by. */
export function stateFilter(kind: 'APP' | 'ORG' | 'PROJECT' | 'PROJECT_GRANT' | 'USER_GRANT') {
  const state = wireEnum<Readonly<Record<string, ActivityState | undefined>>>({
    [`${kind}_STATE_UNSPECIFIED`]: undefined,
    [`${kind}_STATE_ACTIVE`]: 'active',
    [`${kind}_STATE_INACTIVE`]: 'inactive',
  });
  return { stateQuery: { state } };
}
