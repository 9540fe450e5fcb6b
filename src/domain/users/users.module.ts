import { Module } from '@nestjs/common';
import { EndAccess } from './end-access.js';
import { FindUser } from './find-user.js';
import { RequireWayIn } from './require-way-in.js';

const useCases = [FindUser, EndAccess, RequireWayIn];

/** What a user of either kind is, where users are kept, and what codes prove of them (verification/). */
@Module({ providers: useCases, exports: useCases })
export class UsersModule {}
