import { Module } from '@nestjs/common';
import { BrowserAgents } from './browser-agents.js';
import { EndSessions } from './end-session.js';

const useCases = [BrowserAgents, EndSessions];

/** Browsers, and who is signed in with them. */
@Module({ providers: useCases, exports: useCases })
export class SessionsModule {}
