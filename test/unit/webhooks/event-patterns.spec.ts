import { describe, expect, it } from 'vitest';
import { isKnownPattern, wants } from '../../../src/domain/webhooks/event-patterns.js';

describe('the types of events that a webhook wants', () => {
  it.each([
    [['user.locked'], 'user.locked', true],
    [['user.locked'], 'user.unlocked', false],
    [['user.*'], 'user.human.added', true],
    [['user.human.*'], 'user.locked', false],
    // the dot belongs to the beginning
    [['session.*'], 'session_x.ended', false],
    [['*'], 'a.type.of.a.later.release', true],
    [['project.added', 'session.*'], 'session.ended', true],
    [[], 'user.locked', false],
  ])('%j: %s is %s', (patterns, type, wanted) => {
    expect(wants(patterns, type)).toBe(wanted);
  });

  it.each([
    ['user.locked', true],
    ['user.*', true],
    ['*', true],
    ['user.lokced', false],
    ['users.*', false],
    ['user*', false],
    ['*.added', false],
    ['user.locked.*', false],
    ['.*', false],
  ])('%s is a known one: %s', (pattern, known) => {
    expect(isKnownPattern(pattern)).toBe(known);
  });
});
