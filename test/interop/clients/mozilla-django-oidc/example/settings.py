import os

from django.core.management.utils import get_random_secret_key

ISSUER = os.environ["ISSUER"]

DEBUG = False
SECRET_KEY = get_random_secret_key()
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "example.urls"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "example.sqlite3",
    }
}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "mozilla_django_oidc",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
AUTHENTICATION_BACKENDS = ["example.auth.Backend"]

OIDC_RP_CLIENT_ID = os.environ["CLIENT_ID"]
OIDC_RP_CLIENT_SECRET = os.environ["CLIENT_SECRET"]
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_RP_SCOPES = "openid profile email"
OIDC_OP_AUTHORIZATION_ENDPOINT = f"{ISSUER}/oauth/v2/authorize"
OIDC_OP_TOKEN_ENDPOINT = f"{ISSUER}/oauth/v2/token"
OIDC_OP_USER_ENDPOINT = f"{ISSUER}/oidc/v1/userinfo"
OIDC_OP_JWKS_ENDPOINT = f"{ISSUER}/oauth/v2/keys"
OIDC_USE_PKCE = True
OIDC_STORE_ID_TOKEN = True
OIDC_OP_LOGOUT_URL_METHOD = "example.auth.provider_logout"
LOGIN_URL = "oidc_authentication_init"
LOGIN_REDIRECT_URL = "/me"
LOGOUT_REDIRECT_URL = "/"
