import { Module } from '@nestjs/common';
import { BrowserStates } from './browser-state.js';
import { EndSessions } from './end-session.js';
import { UserAgents } from './user-agents.js';

const useCases = [UserAgents, EndSessions, BrowserStates];

/** Browsers, and who is signed in with them. */
@Module({ providers: useCases, exports: useCases })
export class SessionsModule {}
