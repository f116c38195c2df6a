"""Why a league refuses a command."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class LeagueNotCreated(CommandRejected):
    """There is no such league yet."""

    code = "league_not_created"
    detail = "the league does not exist"


class LeagueNameInvalid(CommandRejected):
    """The name is empty or too long."""

    code = "league_name_invalid"
    detail = "a league's name has 1 to {length_max} characters, not {length}"

    length: int
    length_max: int


class MemberUnknown(CommandRejected):
    """The player is not a member."""

    code = "member_unknown"
    detail = "the player is not a member of this league"


class AlreadyMember(CommandRejected):
    """The player is a member, in another role than the one asked for."""

    code = "already_member"
    detail = "the player already is a member, as {role}"

    role: str


class LastOwner(CommandRejected):
    """A league always has an owner."""

    code = "last_owner"
    detail = "the last owner of a league can neither leave nor step down"


class MemberPlaying(CommandRejected):
    """The player is in a running tournament of the league and would be missed at a table."""

    code = "member_playing"
    detail = (
        "the player is in a running tournament of this league: wait until they are out or it is"
        " over, or have somebody who does not play disqualify them"
    )

    tournaments: tuple[str, ...]


class InvitationUnknown(CommandRejected):
    """The invitation was never issued, was revoked, or has been used up."""

    code = "invitation_unknown"
    detail = "the invitation does not exist or no longer holds"


class InvitationExpired(CommandRejected):
    """The invitation's time is over."""

    code = "invitation_expired"
    detail = "the invitation has expired"


class InvitationInvalid(CommandRejected):
    """The invitation could never be used, or would give a league away."""

    code = "invitation_invalid"
    detail = "{problem}"

    problem: Wording


class PlayerBanned(CommandRejected):
    """The player is banned from this league."""

    code = "player_banned"
    detail = "the player is banned for good"

    until: datetime | None

    def __init__(self, *, until: datetime | None) -> None:
        super().__init__(until=until)
        if until is not None:
            self.detail = f"the player is banned until {until.isoformat()}"


class OpeningInvalid(CommandRejected):
    """Sealed values are opened for a time, and not for long."""

    code = "opening_invalid"
    detail = "an opening ends in the future, after {hours_max} hours at most"

    hours_max: int


class StaffNotBannable(CommandRejected):
    """Who holds an office is not banned: an owner takes the office away first."""

    code = "staff_not_bannable"
    detail = "the player holds an office in this league"


class BanInvalid(CommandRejected):
    """The ban would be over before it begins."""

    code = "ban_invalid"
    detail = "{problem}"

    problem: Wording


class TemplateUnknown(CommandRejected):
    """There is no such template in this league."""

    code = "template_unknown"
    detail = "the league has no such template"


class TemplateChanged(CommandRejected):
    """Somebody else has changed the template since it was read."""

    code = "template_changed"
    detail = "the template is at version {version} by now"

    version: int


class TemplateNameTaken(CommandRejected):
    """Another template has this name."""

    code = "template_name_taken"
    detail = "another template of this league has this name"


class TemplatesTooMany(CommandRejected):
    """The league has as many templates as one may have."""

    code = "templates_too_many"
    detail = "a league has {templates_max} templates at most"

    templates_max: int


class TemplateBodyTooLong(CommandRejected):
    """House rules and templates are announcements, and no announcement is as long."""

    code = "template_body_too_long"
    detail = "the text has {length} characters, {length_max} at most are kept"

    length: int
    length_max: int
